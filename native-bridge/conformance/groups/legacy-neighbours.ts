import { type DevicePtr, offsetBy } from '../../cuda/index';
import { all, filled, type Group, KiB, LAZY, NULL_POINTER, NULL_STREAM, peerWithContext } from '../group';
import type { Outcome, Peer } from '../peer-client';
import { onRealDriver } from '../setting';

/** Copies one 32-bit word from an address to another, without the range checks of the copy calls. */
const COPY_WORD = `
.version 6.0
.target sm_50
.address_size 64
.visible .entry copy_word(.param .u64 from, .param .u64 to)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [from];
  ld.param.u64 %rd2, [to];
  ld.global.u32 %r1, [%rd1];
  st.global.u32 [%rd2], %r1;
  ret;
}
`;

export const legacyNeighbours: Group = {
  name: 'legacy neighbours',
  run: async (steps) => {
    const a = await peerWithContext('A');
    const b = await peerWithContext('B');
    const own: DevicePtr[] = [];
    for (const value of [0x11, 0x22, 0x33]) own.push(await filled(a, 4 * KiB, value));
    const [, middle = NULL_POINTER, next = NULL_POINTER] = own;

    const mapping = await b.must('ipcOpenMemHandle', await a.must('ipcGetMemHandle', middle), LAZY);
    const copied = await b.call('read', mapping, 4 * KiB);
    steps.record('B copies (cuMemcpyDtoH_v2) at the imported pointer', copied, {
      'the bytes of that allocation': all(copied.value, 0x22),
    });
    steps.record('B copies 4 KiB before or after the imported allocation', [
      await b.call('read', offsetBy(mapping, -4096), 4 * KiB),
      await b.call('read', offsetBy(mapping, 4096), 4 * KiB),
    ]);

    const KERNEL = 'a kernel in B reads 4096 bytes past the imported allocation';
    if (onRealDriver) {
      const { outcome, word } = await readByKernel(b, offsetBy(mapping, 4096));
      steps.record(KERNEL, outcome, { "it sees the neighbour's bytes": word === 0x33333333 });
    } else {
      steps.skip(KERNEL, 'the simulator runs no kernels');
    }

    const neighbour = await b.call('ipcOpenMemHandle', await a.must('ipcGetMemHandle', next), LAZY);
    steps.record('B opens the neighbouring small allocation too', neighbour, {
      'addresses as far apart as in A': (neighbour.value ?? 0n) - mapping === next - middle,
    });
  },
};

async function readByKernel(peer: Peer, from: DevicePtr): Promise<{ outcome: Outcome<unknown>; word: number }> {
  const kernel = await peer.must('moduleGetFunction', await peer.must('moduleLoadData', COPY_WORD), 'copy_word');
  const to = await filled(peer, 4 * KiB, 0);
  await peer.must('launchKernel', kernel, {
    grid: [1, 1, 1],
    block: [1, 1, 1],
    stream: NULL_STREAM,
    arguments: [from, to],
  });
  const outcome = await peer.call('ctxSynchronize');
  const bytes = (await peer.call('read', to, 4)).value;
  return { outcome, word: bytes === undefined ? 0 : new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true) };
}
