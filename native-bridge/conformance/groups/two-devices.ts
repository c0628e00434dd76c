import { decodePointerAttribute, PointerAttribute } from '../../cuda/index';
import {
  all,
  exportedEvent,
  exportedMemory,
  type Group,
  LAZY,
  MiB,
  NULL_EVENT,
  NULL_POINTER,
  peerWithContext,
} from '../group';
import { Peer } from '../peer-client';
import { onRealDriver } from '../setting';

const STEPS = [
  "B opens A's legacy handle with flags 1",
  "B with CUDA_VISIBLE_DEVICES hiding A's device opens the handle",
  "B opens, queries, stream-waits and records A's event",
] as const;

export const twoDevices: Group = {
  name: 'two devices',
  run: async (steps) => {
    const env: Record<string, string> = onRealDriver ? {} : { GPU_IPC_SIM_DEVICES: '2' };
    const scout = await Peer.start('scout', env);
    await scout.must('init');
    if ((await scout.must('deviceGetCount')) < 2) {
      for (const step of STEPS) steps.skip(step, 'there is one device');
      return;
    }

    const a = await peerWithContext('A', 0, env);
    const b = await peerWithContext('B', 1, env);
    const { handle } = await exportedMemory(a, 4 * MiB, 0xab);
    const opened = await b.call('ipcOpenMemHandle', handle, LAZY);
    const ordinal = await b.call('pointerGetAttribute', PointerAttribute.DEVICE_ORDINAL, opened.value ?? NULL_POINTER);
    const read = await b.call('read', opened.value ?? NULL_POINTER, 4096);
    steps.record(STEPS[0], opened, {
      'DEVICE_ORDINAL is 1': decodePointerAttribute('DEVICE_ORDINAL', ordinal.value ?? -1n) === 1,
      "B sees A's bytes": all(read.value, 0xab),
    });

    const hidden = await peerWithContext('B, A hidden', 0, { ...env, CUDA_VISIBLE_DEVICES: '1' });
    const blind = await hidden.call('ipcOpenMemHandle', handle, LAZY);
    const seen = await hidden.call('read', blind.value ?? NULL_POINTER, 4096);
    steps.record(STEPS[1], blind, { "it sees A's bytes": all(seen.value, 0xab) });

    const { handle: eventHandle } = await exportedEvent(a);
    const imported = await b.call('ipcOpenEventHandle', eventHandle);
    const event = imported.value ?? NULL_EVENT;
    const stream = await b.must('streamCreate', 1);
    steps.record(STEPS[2], [
      imported,
      await b.call('eventQuery', event),
      await b.call('streamWaitEvent', stream, event),
      await b.call('eventRecord', event, stream),
    ]);
  },
};
