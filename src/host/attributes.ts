/** What the driver knows about the memory of a buffer or mapping. */
import type { CallValue, CheckedArgs } from '#contract/calls';
import { GpuIpcError } from '#contract/result';
import { PointerAttribute, type PointerAttributeName, pointerAttributeText } from '#native/cuda/index';
import type { HostState } from './host-state';

/** cuPointerGetAttribute for every attribute of cuda.h; a refused one has its result instead of a value. */
export function attributes(host: HostState, { id }: CheckedArgs<'memory.attributes'>): CallValue<'memory.attributes'> {
  const { label, device, pointer } = host.objects.memory(id);
  host.session.use(device);
  const names = Object.keys(PointerAttribute) as PointerAttributeName[];
  return host.session.summarised(
    'cuPointerGetAttribute',
    (calls) => ({ args: `${label}, ${calls} attributes`, objectId: id }),
    (cuda) =>
      names.map((name) => {
        try {
          const raw = cuda.pointerGetAttribute(PointerAttribute[name], pointer);
          return { name, value: pointerAttributeText(name, raw), result: cuda.describeResult(0).name };
        } catch (thrown) {
          if (!(thrown instanceof GpuIpcError) || !thrown.error.cuda) throw thrown;
          return { name, value: null, result: thrown.error.cuda.name };
        }
      }),
  );
}
