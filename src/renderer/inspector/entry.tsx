/** The Inspector window. */
import { connectApp } from '../lib/app-store';
import { mount } from '../lib/mount';
import { Inspector } from './Inspector';

connectApp();
void mount(<Inspector />);
