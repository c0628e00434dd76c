/** Animated buffers: the fill moved on some times a second, by a timer that never holds up other calls. */
import type { CheckedArgs } from '#contract/calls';
import { fillAllocation } from './fills';
import type { HostState } from './host-state';
import type { OwnAllocation } from './objects';

/** Starts, changes or (hz 0) stops the animation of an own allocation. */
export function animate(host: HostState, { id, fill, hz }: CheckedArgs<'buffers.animate'>): undefined {
  const own = host.objects.liveAllocation(id);
  stopAnimation(host, own);
  if (fill) own.fill = fill;
  if (hz === 0) return;
  own.record = { ...own.record, animated: hz };
  host.report.put('allocations', own.record);
  start(host, own, hz);
}

/** Stops it and says so in the ledger; nothing when it is still. */
export function stopAnimation(host: HostState, own: OwnAllocation): void {
  if (!own.stopAnimation) return;
  own.stopAnimation();
  own.stopAnimation = undefined;
  own.record = { ...own.record, animated: undefined };
  host.report.put('allocations', own.record);
}

function start(host: HostState, own: OwnAllocation, hz: number): void {
  const began = performance.now();
  let timer: NodeJS.Timeout | undefined;
  let stopped = false;
  own.stopAnimation = () => {
    stopped = true;
    clearTimeout(timer);
  };
  const step = async (tick: number): Promise<void> => {
    try {
      await fillAllocation(host, own, own.fill, tick);
    } catch {
      // The failed call is in the log; going on would repeat it for ever. Overtaken by a fill: that one is meant.
      if (!stopped) stopAnimation(host, own);
      return;
    }
    if (stopped) return;
    // The next moment of the clock that lies ahead: a slow write skips ticks instead of running late for ever.
    const passed = ((performance.now() - began) * hz) / 1000;
    const next = Math.max(tick + 1, Math.ceil(passed));
    timer = setTimeout(() => void step(next), began + (next * 1000) / hz - performance.now());
  };
  timer = setTimeout(() => void step(1), 0);
}
