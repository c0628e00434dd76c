/** What a call is, and the pieces that many calls use. */
import * as v from 'valibot';
import { bytesSchema, idSchema, MAX_TRANSFER_BYTES, type Role } from '#contract/values';

export interface CallDefinition {
  readonly args: v.GenericSchema;
  readonly result: v.GenericSchema;
  readonly roles: readonly Role[];
  readonly answers: 'main' | 'host';
}

export const everyone: readonly Role[] = ['inspector', 'producer', 'consumer'];
export const exporters: readonly Role[] = ['inspector', 'producer'];
export const importers: readonly Role[] = ['inspector', 'consumer'];
export const inspector: readonly Role[] = ['inspector'];
export const demos: readonly Role[] = ['producer', 'consumer'];

export const none = v.optional(v.strictObject({}), {});
export const nothing = v.undefined();
export const byId = v.strictObject({ id: idSchema });
export const transfer = v.pipe(
  bytesSchema,
  v.check((bytes) => bytes.byteLength >= 1 && bytes.byteLength <= MAX_TRANSFER_BYTES, 'between 1 byte and 64 MiB'),
);
