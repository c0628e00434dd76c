import { asDevicePtr } from '../../cuda/index';
import type { Group } from '../group';
import { Peer } from '../peer-client';

export const initialise: Group = {
  name: 'initialise',
  run: async (steps) => {
    const peer = await Peer.start('A');
    steps.record('cuIpcGetMemHandle before cuInit', await peer.call('ipcGetMemHandle', asDevicePtr(0x1000n)));
    await peer.must('init');
    steps.record('cuMemAlloc after cuInit with no current context', await peer.call('memAlloc', 4096));
    const blind = await Peer.start('without devices', { CUDA_VISIBLE_DEVICES: '' });
    steps.record('cuInit with CUDA_VISIBLE_DEVICES set to the empty string', await blind.call('init'));
  },
};
