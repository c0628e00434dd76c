/**
 * How every call answers: a value, or a typed error. Nothing in this program rejects across a process boundary, so a
 * caller always gets a code it can act on.
 */
import * as v from 'valibot';

/**
 * Stable, for programs. `message` says what happened, `hint` what to do next.
 *
 * - `invalid-argument`: the arguments do not fit the schema of the call
 * - `not-allowed`: this window's role, or the frame that asked, may not make the call; or the system does not let this
 *   user do it
 * - `not-found`: no object has that id
 * - `out-of-range`: offset and length do not lie inside the object
 * - `closed`: the object was freed, closed or destroyed before
 * - `driver-error`: the CUDA driver answered something else than CUDA_SUCCESS; see `cuda`
 * - `no-driver`: no driver, real or simulated, could be loaded
 * - `unsupported`: this platform or driver cannot do it
 * - `host-lost`: the process that would have answered is gone
 * - `cancelled`: the caller gave up first
 * - `internal`: a defect of this program
 */
export const errorCodeSchema = v.picklist([
  'invalid-argument',
  'not-allowed',
  'not-found',
  'out-of-range',
  'closed',
  'driver-error',
  'no-driver',
  'unsupported',
  'host-lost',
  'cancelled',
  'internal',
]);
export type ErrorCode = v.InferOutput<typeof errorCodeSchema>;

/** A CUresult: its number, its full name (`CUDA_ERROR_INVALID_CONTEXT`) and the driver's own sentence. */
export const cudaResultSchema = v.object({ result: v.number(), name: v.string(), text: v.string() });
export type CudaResult = v.InferOutput<typeof cudaResultSchema>;

export const ipcErrorSchema = v.object({
  code: errorCodeSchema,
  message: v.string(),
  /** What to do next, in one or two sentences. */
  hint: v.optional(v.string()),
  /** The driver function that failed, with its exported name: `cuIpcOpenMemHandle_v2`. */
  call: v.optional(v.string()),
  cuda: v.optional(cudaResultSchema),
});
export type IpcError = v.InferOutput<typeof ipcErrorSchema>;

export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: IpcError };

export const ok = <T>(value: T): Result<T> => ({ ok: true, value });
export const fail = (error: IpcError): { readonly ok: false; readonly error: IpcError } => ({ ok: false, error });

/** An IpcError as an exception, for code that is easier to read when it throws; turned back at the boundary. */
export class GpuIpcError extends Error {
  override readonly name = 'GpuIpcError';
  constructor(readonly error: IpcError) {
    super(error.message);
  }
}

/** Any thrown thing as an IpcError. What is not a GpuIpcError is a defect and says so. */
export function toIpcError(thrown: unknown): IpcError {
  if (thrown instanceof GpuIpcError) return thrown.error;
  return { code: 'internal', message: thrown instanceof Error ? thrown.message : String(thrown) };
}
