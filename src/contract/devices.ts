/** What a device is and what can be shared from it. */
import * as v from 'valibot';
import { ordinalSchema } from './values';

/** `null` is unknown, which is not no. `why` is a sentence for people in every case. */
export const supportSchema = v.object({ supported: v.nullable(v.boolean()), why: v.string() });
export type Support = v.InferOutput<typeof supportSchema>;

export const sharingSchema = v.object({
  legacyMemory: supportSchema,
  events: supportSchema,
  poolFd: supportSchema,
  vmmFd: supportSchema,
  fabric: supportSchema,
});
export type Sharing = v.InferOutput<typeof sharingSchema>;

export const peerAccessSchema = v.object({
  ordinal: ordinalSchema,
  /** cuDeviceCanAccessPeer; `null` when the driver did not say. */
  access: v.nullable(v.boolean()),
  /** CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK, when known: 0 is the best link. */
  performanceRank: v.nullable(v.number()),
  nativeAtomics: v.nullable(v.boolean()),
});

export const deviceSchema = v.object({
  ordinal: ordinalSchema,
  name: v.string(),
  /** `GPU-` and the 16 bytes of cuDeviceGetUuid_v2 as 8-4-4-4-12. */
  uuid: v.string(),
  /** `0000:19:00.0` */
  pciBusId: v.string(),
  totalBytes: v.number(),
  /** `null` until a context exists on the device: cuMemGetInfo needs one. */
  freeBytes: v.nullable(v.number()),
  /** `9.0` */
  computeCapability: v.string(),
  computeMode: v.picklist(['default', 'prohibited', 'exclusive-process', 'unknown']),
  /** Attributes by their name in cuda.h without CU_DEVICE_ATTRIBUTE_; `null` where this driver does not know one. */
  attributes: v.record(v.string(), v.nullable(v.number())),
  sharing: sharingSchema,
  peers: v.array(peerAccessSchema),
});
export type Device = v.InferOutput<typeof deviceSchema>;

export const driverInfoSchema = v.object({
  kind: v.picklist(['real', 'simulator']),
  /** cuDriverGetVersion as `13.0`. */
  version: v.string(),
  /** The file that was loaded. */
  path: v.string(),
  /** The release of the installed kernel driver, `580.159.04`, where it can be read. */
  release: v.optional(v.string()),
  /** Why the GPU is simulated; absent for a real driver. */
  reason: v.optional(v.string()),
  /** Beside a real driver: why the simulator cannot be chosen instead, with what to do; absent where it can. */
  noSimulator: v.optional(v.string()),
  /** What was tried, in order, for the details pane. */
  attempts: v.array(v.object({ what: v.string(), ok: v.nullable(v.boolean()), detail: v.string() })),
});
export type DriverInfo = v.InferOutput<typeof driverInfoSchema>;
