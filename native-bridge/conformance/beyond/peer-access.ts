/** Direct access between two devices of one process. */
import { P2PAttribute } from '../../cuda/index';
import { all, filled, type Group, MiB, peerWithContext } from '../group';
import { Peer } from '../peer-client';
import { onRealDriver } from '../setting';

const STEPS = [
  'cuDeviceCanAccessPeer from 0 to 1',
  'cuDeviceGetP2PAttribute, every attribute',
  'cuDeviceGetP2PAttribute of attribute 99',
  'cuMemcpyDtoD_v2 between devices before cuCtxEnablePeerAccess',
  'cuCtxEnablePeerAccess',
  'cuCtxEnablePeerAccess twice',
  'cuCtxDisablePeerAccess',
  'cuCtxDisablePeerAccess twice',
] as const;

export const peerAccess: Group = {
  name: 'peer access',
  run: async (steps) => {
    const env: Record<string, string> = onRealDriver ? {} : { GPU_IPC_SIM_DEVICES: '2' };
    const scout = await Peer.start('scout', env);
    await scout.must('init');
    if ((await scout.must('deviceGetCount')) < 2) {
      for (const step of STEPS) steps.skip(step, 'there is one device');
      return;
    }
    const a = await peerWithContext('A', 0, env);
    const [zero, one] = [await a.must('deviceGet', 0), await a.must('deviceGet', 1)];
    const can = await a.call('deviceCanAccessPeer', zero, one);
    steps.record(STEPS[0], can, { 'the answer is yes': can.value === true });
    const attributes = [];
    for (const attribute of Object.values(P2PAttribute)) {
      attributes.push(await a.call('deviceGetP2PAttribute', attribute, zero, one));
    }
    steps.record(STEPS[1], attributes);
    steps.record(STEPS[2], await a.call('deviceGetP2PAttribute', 99, zero, one));

    const near = await filled(a, 1 * MiB, 1);
    const here = await a.must('ctxGetCurrent');
    const there = await a.must('devicePrimaryCtxRetain', one);
    await a.must('ctxSetCurrent', there);
    const far = await filled(a, 1 * MiB, 2);
    await a.must('ctxSetCurrent', here);
    const copied = await a.call('memcpyDtoD', near, far, 1 * MiB);
    await a.must('ctxSynchronize');
    steps.record(STEPS[3], copied, { 'the bytes are there': all((await a.call('read', near, 1 * MiB)).value, 2) });
    steps.record(STEPS[4], await a.call('ctxEnablePeerAccess', there));
    steps.record(STEPS[5], await a.call('ctxEnablePeerAccess', there));
    steps.record(STEPS[6], await a.call('ctxDisablePeerAccess', there));
    steps.record(STEPS[7], await a.call('ctxDisablePeerAccess', there));
  },
};
