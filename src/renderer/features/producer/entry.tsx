/** The page of a producer window. */
import { connectApp } from '../../lib/app-store';
import { mount } from '../../lib/mount';
import { ProducerWindow } from './ProducerWindow';

connectApp();
void mount(<ProducerWindow />);
