/** The stage of the demonstration: real windows, and calls by the same way as theirs, checks and all. */
import type { CallValue } from '#contract/calls';
import { GpuIpcError, type Result } from '#contract/result';
import type { Router } from '../router';
import type { WindowRegistry } from '../windows/registry';
import type { DemoWindows } from './demo-windows';
import type { Stage } from './play';

export function stageOf(
  parts: {
    readonly router: Router;
    readonly demos: DemoWindows;
    readonly registry: WindowRegistry;
    readonly inspectorPeerId: string;
  },
  manner: Pick<Stage, 'tell' | 'beat'>,
): Stage {
  const { router, demos, registry, inspectorPeerId } = parts;
  return {
    ...manner,
    inspectorPeerId,
    open: (role) => demos.open(role, 0),
    ask: async (peerId, name, args) => {
      const caller = registry.all().find((record) => record.peerId() === peerId);
      if (caller === undefined) throw new GpuIpcError({ code: 'not-found', message: `${peerId} has no window.` });
      const result = (await router.answer(name, caller, args)) as Result<CallValue<typeof name>>;
      if (!result.ok) throw new GpuIpcError(result.error);
      return result.value;
    },
  };
}
