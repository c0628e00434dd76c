/**
 * The contract: every call a window can make, in one value. Types, preload methods, main's router and the host's
 * dispatcher are all derived from this table.
 *
 * `args`      schema of the one argument object; checked by main before anything happens
 * `result`    schema of the value; gives the type, and is checked in tests
 * `roles`     which windows may call it; every other one gets `not-allowed`
 * `answers`   `main`, or `host`: the driver host of the window that asks (the Inspector's worker thread, or the
 *             process of a producer or consumer window)
 */
import * as v from 'valibot';
import { deviceSchema, driverInfoSchema } from './devices';
import { handleAnatomySchema } from './handle-anatomy';
import { snapshotSchema } from './records';
import { settingsSchema } from './settings';
import {
  addressSchema,
  bytesSchema,
  dtypeSchema,
  eventStatusSchema,
  exporterSchema,
  fillSchema,
  handleBytesSchema,
  handleSchema,
  idSchema,
  labelSchema,
  MAX_TRANSFER_BYTES,
  offsetSchema,
  ordinalSchema,
  type Role,
  roleSchema,
  sizeSchema,
} from './values';

export interface CallDefinition {
  readonly args: v.GenericSchema;
  readonly result: v.GenericSchema;
  readonly roles: readonly Role[];
  readonly answers: 'main' | 'host';
}

const everyone: readonly Role[] = ['inspector', 'producer', 'consumer'];
const exporters: readonly Role[] = ['inspector', 'producer'];
const importers: readonly Role[] = ['inspector', 'consumer'];
const inspector: readonly Role[] = ['inspector'];
const demos: readonly Role[] = ['producer', 'consumer'];

const none = v.optional(v.strictObject({}), {});
const nothing = v.undefined();
const byId = v.strictObject({ id: idSchema });
const transfer = v.pipe(
  bytesSchema,
  v.check((bytes) => bytes.byteLength >= 1 && bytes.byteLength <= MAX_TRANSFER_BYTES, 'between 1 byte and 64 MiB'),
);
const exported = v.object({ id: idSchema, allocationId: idSchema, handle: handleBytesSchema });

export const calls = {
  'app.info': {
    args: none,
    result: v.object({
      version: v.string(),
      electron: v.string(),
      driver: driverInfoSchema,
      platform: v.string(),
      /** This window's own role, peer and process. */
      self: v.object({ role: roleSchema, peerId: idSchema, pid: v.nullable(v.number()), name: v.string() }),
    }),
    roles: everyone,
    answers: 'main',
  },
  /** Looks for a real driver again: a new Inspector host takes over. Refused while the Inspector holds objects. */
  'app.lookAgain': { args: none, result: driverInfoSchema, roles: inspector, answers: 'main' },

  'settings.get': { args: none, result: settingsSchema, roles: everyone, answers: 'main' },
  /** Merges the given settings, keeps them on disk and tells every window. */
  'settings.set': {
    args: v.strictObject(v.partial(settingsSchema).entries),
    result: settingsSchema,
    roles: everyone,
    answers: 'main',
  },

  'devices.list': { args: none, result: v.array(deviceSchema), roles: everyone, answers: 'host' },

  /** cuMemAlloc_v2, then the fill. `dtype` is u8, `fill` zero unless given. */
  'buffers.create': {
    args: v.strictObject({
      device: ordinalSchema,
      bytes: sizeSchema,
      label: v.optional(labelSchema),
      dtype: v.optional(dtypeSchema),
      fill: v.optional(fillSchema),
    }),
    result: v.object({ id: idSchema, address: addressSchema, bytes: v.number() }),
    roles: exporters,
    answers: 'host',
  },
  /** Writes into an own allocation, or into an open mapping (then the exporter sees it too). */
  'buffers.write': {
    args: v.strictObject({ id: idSchema, offset: offsetSchema, bytes: transfer }),
    result: nothing,
    roles: everyone,
    answers: 'host',
  },
  'buffers.fill': {
    args: v.strictObject({ id: idSchema, fill: fillSchema }),
    result: nothing,
    roles: exporters,
    answers: 'host',
  },
  /** Rewrites the fill `hz` times a second with a counting `{n}` (text) or a moving start; `hz` 0 stops it. */
  'buffers.animate': {
    args: v.strictObject({
      id: idSchema,
      fill: v.optional(fillSchema),
      hz: v.pipe(v.number(), v.minValue(0), v.maxValue(60)),
    }),
    result: nothing,
    roles: exporters,
    answers: 'host',
  },
  /** cuIpcGetMemHandle. Exporting the same allocation again answers the same export. */
  'buffers.export': { args: byId, result: exported, roles: exporters, answers: 'host' },
  /** cuMemFree_v2. Whoever has it mapped keeps the bytes; its handle opens them no more, but may open newer memory. */
  'buffers.free': { args: byId, result: nothing, roles: exporters, answers: 'host' },

  /**
   * cuIpcOpenMemHandle_v2. Give the handle (bytes or text), or the id of a live export. `flags` is 1, lazy peer
   * access, unless given. Opening again what is open already adds a reference.
   */
  'imports.open': {
    args: v.pipe(
      v.strictObject({
        handle: v.optional(handleSchema),
        exportId: v.optional(idSchema),
        device: ordinalSchema,
        flags: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(0xffffffff))),
        offset: v.optional(offsetSchema),
        length: v.optional(sizeSchema),
        label: v.optional(labelSchema),
      }),
      v.check((args) => (args.handle === undefined) !== (args.exportId === undefined), 'give a handle or an exportId'),
    ),
    result: v.object({
      id: idSchema,
      address: addressSchema,
      bytes: v.number(),
      references: v.number(),
      state: v.picklist(['open', 'closed']),
      exporter: exporterSchema,
    }),
    roles: importers,
    answers: 'main',
  },
  /** cuIpcCloseMemHandle: one reference less; the mapping goes with the last. */
  'imports.close': {
    args: byId,
    result: v.object({ references: v.number(), state: v.picklist(['open', 'closed']) }),
    roles: importers,
    answers: 'host',
  },

  /** cuMemcpyDtoH_v2 of a range of an allocation or mapping of the asking window's process. */
  'memory.read': {
    args: v.strictObject({
      id: idSchema,
      offset: offsetSchema,
      length: v.pipe(sizeSchema, v.maxValue(MAX_TRANSFER_BYTES, 'at most 64 MiB in one read')),
    }),
    result: v.object({ bytes: bytesSchema, takenAt: v.number() }),
    roles: everyone,
    answers: 'host',
  },
  /** cuPointerGetAttribute for every attribute of cuda.h 13.0; `null` where the driver refused, with its result. */
  'memory.attributes': {
    args: byId,
    result: v.array(v.object({ name: v.string(), value: v.nullable(v.string()), result: v.string() })),
    roles: everyone,
    answers: 'host',
  },

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

  /** The 64 bytes of an export, on purpose. A producer may reveal its own only. */
  'handles.reveal': {
    args: v.strictObject({ exportId: idSchema }),
    result: v.object({ handle: handleBytesSchema }),
    roles: exporters,
    answers: 'main',
  },
  /** What the bytes of a handle mean, where the layout holds on handles made here. Secret fields come without value. */
  'handles.anatomy': {
    args: v.strictObject({ exportId: v.optional(idSchema), handle: v.optional(handleSchema) }),
    result: handleAnatomySchema,
    roles: everyone,
    answers: 'main',
  },

  'ledger.snapshot': { args: none, result: snapshotSchema, roles: everyone, answers: 'main' },

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

export type CallName = keyof typeof calls;
export type CallArgs<C extends CallName> = v.InferInput<(typeof calls)[C]['args']>;
/** Arguments after validation: defaults filled in. */
export type CheckedArgs<C extends CallName> = v.InferOutput<(typeof calls)[C]['args']>;
export type CallValue<C extends CallName> = v.InferOutput<(typeof calls)[C]['result']>;

export type HostCallName = { [C in CallName]: (typeof calls)[C]['answers'] extends 'host' ? C : never }[CallName];
export type MainCallName = Exclude<CallName, HostCallName>;
