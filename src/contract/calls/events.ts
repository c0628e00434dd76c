/** Events, own and imported. */
import * as v from 'valibot';
import {
  eventStatusSchema,
  handleBytesSchema,
  handleSchema,
  idSchema,
  labelSchema,
  ordinalSchema,
} from '#contract/values';
import { byId, type CallDefinition, everyone, exporters, importers, nothing } from './definition';

export const eventCalls = {
  /** cuEventCreate. `flags` is 6, interprocess without timing, unless given. */
  'events.create': {
    args: v.strictObject({
      device: ordinalSchema,
      flags: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(0xffffffff))),
      label: v.optional(labelSchema),
    }),
    result: v.object({ id: idSchema }),
    roles: exporters,
    answers: 'host',
  },
  /** cuIpcGetEventHandle. */
  'events.export': {
    args: byId,
    result: v.object({ id: idSchema, eventId: idSchema, handle: handleBytesSchema }),
    roles: exporters,
    answers: 'host',
  },
  /** cuIpcOpenEventHandle. */
  'events.open': {
    args: v.pipe(
      v.strictObject({
        handle: v.optional(handleSchema),
        exportId: v.optional(idSchema),
        device: ordinalSchema,
        label: v.optional(labelSchema),
      }),
      v.check((args) => (args.handle === undefined) !== (args.exportId === undefined), 'give a handle or an exportId'),
    ),
    result: v.object({ id: idSchema }),
    roles: importers,
    answers: 'main',
  },
  /**
   * cuEventRecord on the host's own stream. `afterMs` first queues work that lasts that long, so that others see the
   * event not ready meanwhile.
   */
  'events.record': {
    args: v.strictObject({
      id: idSchema,
      afterMs: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(60_000))),
    }),
    result: nothing,
    roles: everyone,
    answers: 'host',
  },
  'events.query': { args: byId, result: eventStatusSchema, roles: everyone, answers: 'host' },
  /** Polls cuEventQuery until it is ready or the time is over; `not-ready` then. Never blocks the host. */
  'events.wait': {
    args: v.strictObject({
      id: idSchema,
      timeoutMs: v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(3_600_000)),
    }),
    result: eventStatusSchema,
    roles: everyone,
    answers: 'host',
  },
  /** Ends a running wait for this event; the waiting call answers `cancelled`. */
  'events.cancelWait': { args: byId, result: nothing, roles: everyone, answers: 'host' },
  /** cuEventDestroy_v2, of an own or an imported event. */
  'events.destroy': { args: byId, result: nothing, roles: everyone, answers: 'host' },
} as const satisfies Record<string, CallDefinition>;
