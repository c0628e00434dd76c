/** The page of a consumer window. */
import { connectApp } from '../../lib/app-store';
import { mount } from '../../lib/mount';
import { ConsumerWindow } from './ConsumerWindow';

connectApp();
void mount(<ConsumerWindow />);
