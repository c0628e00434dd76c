/** Producers and consumers. */
import * as v from 'valibot';
import { idSchema, ordinalSchema } from '#contract/values';
import { type CallDefinition, demos, everyone, inspector, none, nothing } from './definition';

export const demoCalls = {
  'demo.open': {
    args: v.strictObject({ role: v.picklist(['producer', 'consumer']), device: ordinalSchema }),
    result: v.object({ peerId: idSchema, pid: v.number() }),
    roles: inspector,
    answers: 'main',
  },
  /** SIGKILL to the process of a producer or consumer; its window stays and offers a restart. */
  'demo.kill': { args: v.strictObject({ peerId: idSchema }), result: nothing, roles: inspector, answers: 'main' },
  /** The same for the window's own process: crash on purpose. */
  'demo.crash': { args: none, result: nothing, roles: demos, answers: 'main' },
  /** A new process for a window whose process is gone. From a demo window without `peerId`: its own. */
  'demo.restart': {
    args: v.strictObject({ peerId: v.optional(idSchema) }),
    result: v.object({ peerId: idSchema, pid: v.number() }),
    roles: everyone,
    answers: 'main',
  },
  /** Brings the window of a peer to the front. */
  'demo.focus': { args: v.strictObject({ peerId: idSchema }), result: nothing, roles: inspector, answers: 'main' },
  /** Plays the demonstration: a producer, a consumer, shared bytes changing on both sides. */
  'demo.play': { args: none, result: nothing, roles: inspector, answers: 'main' },
} as const satisfies Record<string, CallDefinition>;
