/** Devices and contexts with arguments that are wrong, or calls at the wrong moment. */
import { type DeviceId, NO_CONTEXT, P2PAttribute } from '../../cuda/index';
import { type Group, peerWithContext } from '../group';
import { Peer } from '../peer-client';

export const devicesAndContexts: Group = {
  name: 'devices and contexts',
  run: async (steps) => {
    const early = await Peer.start('before cuInit');
    steps.record('cuDriverGetVersion before cuInit', await early.call('driverGetVersion'));
    steps.record('cuDeviceGetCount before cuInit', await early.call('deviceGetCount'));
    steps.record('cuCtxGetCurrent before cuInit', await early.call('ctxGetCurrent'));
    steps.record('cuInit twice', [await early.call('init'), await early.call('init')]);

    const bare = early;
    const count = await bare.must('deviceGetCount');
    const device = await bare.must('deviceGet', 0);
    const NO_DEVICE = 99 as DeviceId;
    steps.record('cuDeviceGet of -1', await bare.call('deviceGet', -1));
    steps.record('cuDeviceGet of the number of devices', await bare.call('deviceGet', count));
    steps.record('cuDeviceGetName of device 99', await bare.call('deviceGetName', NO_DEVICE));
    steps.record('cuDeviceGetUuid_v2 of device 99', await bare.call('deviceGetUuid', NO_DEVICE));
    steps.record('cuDeviceTotalMem_v2 of device 99', await bare.call('deviceTotalMem', NO_DEVICE));
    steps.record('cuDeviceGetPCIBusId of device 99', await bare.call('deviceGetPciBusId', NO_DEVICE));
    steps.record('cuDeviceGetAttribute of device 99', await bare.call('deviceGetAttribute', 75, NO_DEVICE));
    steps.record('cuDeviceGetAttribute of attribute 0', await bare.call('deviceGetAttribute', 0, device));
    steps.record('cuDeviceGetAttribute of attribute 9999', await bare.call('deviceGetAttribute', 9999, device));
    const self = await bare.call('deviceCanAccessPeer', device, device);
    steps.record('cuDeviceCanAccessPeer of a device and itself', self, { 'the answer is 0': self.value !== true });
    steps.record('cuDeviceCanAccessPeer of device 99', await bare.call('deviceCanAccessPeer', device, NO_DEVICE));
    steps.record(
      'cuDeviceGetP2PAttribute of a device and itself',
      await bare.call('deviceGetP2PAttribute', P2PAttribute.PERFORMANCE_RANK, device, device),
    );
    steps.record(
      'cuDeviceGetP2PAttribute of attribute 99',
      await bare.call('deviceGetP2PAttribute', 99, device, device),
    );

    const none = await bare.call('ctxGetCurrent');
    steps.record('cuCtxGetCurrent without one', none, { 'answers none': none.value === NO_CONTEXT });
    steps.record('cuCtxGetDevice without a context', await bare.call('ctxGetDevice'));
    steps.record('cuCtxSynchronize without a context', await bare.call('ctxSynchronize'));
    steps.record('cuCtxPopCurrent_v2 of an empty stack', await bare.call('ctxPopCurrent'));
    steps.record('cuCtxSetCurrent of none', await bare.call('ctxSetCurrent', NO_CONTEXT));
    steps.record('cuMemGetInfo_v2 without a context', await bare.call('memGetInfo'));
    steps.record('cuStreamCreate without a context', await bare.call('streamCreate', 1));
    steps.record('cuEventCreate without a context', await bare.call('eventCreate', 6));
    steps.record('cuDevicePrimaryCtxRetain of device 99', await bare.call('devicePrimaryCtxRetain', NO_DEVICE));
    steps.record('cuDevicePrimaryCtxRelease_v2 without a retain', await bare.call('devicePrimaryCtxRelease', device));
    const idle = await bare.call('devicePrimaryCtxGetState', device);
    steps.record('cuDevicePrimaryCtxGetState before a retain', idle, { 'not active': idle.value?.active === false });

    const first = await bare.must('devicePrimaryCtxRetain', device);
    const again = await bare.call('devicePrimaryCtxRetain', device);
    steps.record('cuDevicePrimaryCtxRetain twice', again, { 'the same context': again.value === first });
    const active = await bare.call('devicePrimaryCtxGetState', device);
    steps.record('cuDevicePrimaryCtxGetState after it', active, { active: active.value?.active === true });
    await bare.must('ctxSetCurrent', first);
    steps.record('cuCtxEnablePeerAccess of the current context', await bare.call('ctxEnablePeerAccess', first));
    steps.record('cuCtxDisablePeerAccess that was never enabled', await bare.call('ctxDisablePeerAccess', first));

    const pointer = await bare.must('memAlloc', 4096);
    await bare.must('devicePrimaryCtxRelease', device);
    steps.record('memory is usable while one retain is left', await bare.call('read', pointer, 16));
    await bare.must('devicePrimaryCtxRelease', device);
    const released = await bare.call('devicePrimaryCtxGetState', device);
    steps.record('cuDevicePrimaryCtxGetState after the last release', released, {
      'not active': released.value?.active === false,
    });
    const stale = await peerWithContext('released context');
    await stale.must('devicePrimaryCtxRelease', device);
    steps.record('cuMemAlloc_v2 in the released context, still current', await stale.call('memAlloc', 4096));
    const renewed = await bare.must('devicePrimaryCtxRetain', device);
    await bare.must('ctxSetCurrent', renewed);
    steps.record('memory of the released context, read in the renewed one', await bare.call('read', pointer, 16));

    const stack = await peerWithContext('stack');
    const primary = await stack.must('ctxGetCurrent');
    const second = await stack.must('ctxCreate', 0, device);
    steps.record('cuCtxCreate_v2 makes the new context current', await stack.call('ctxGetCurrent'), {
      'it is the new one': (await stack.must('ctxGetCurrent')) === second,
    });
    steps.record('cuCtxPushCurrent_v2', await stack.call('ctxPushCurrent', primary), {
      'it is current': (await stack.must('ctxGetCurrent')) === primary,
    });
    const popped = await stack.call('ctxPopCurrent');
    steps.record('cuCtxPopCurrent_v2', popped, {
      'answers the one that was current': popped.value === primary,
      'and the one below is current': (await stack.must('ctxGetCurrent')) === second,
    });
    const own = await stack.must('memAlloc', 4096);
    steps.record('cuCtxDestroy_v2 of the second context', await stack.call('ctxDestroy', second), {
      'the primary one is current again': (await stack.must('ctxGetCurrent')) === primary,
    });
    steps.record('memory of a destroyed context', await stack.call('read', own, 16));
  },
};
