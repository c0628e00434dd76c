/** The form of a rule: which calls, which results, in which situation, and what is said. */

/** What the caller knows. Everything is optional: less knowledge gives a more general sentence. */
export interface Situation {
  /** The process that made the handle. */
  readonly exporter?: {
    /** For people: `Producer 1`, `python3`. Given only when it is known whose handle it is. */
    readonly name?: string | undefined;
    readonly pid?: number | undefined;
    /** `self`: the process that asks. `gone`: no process that this one can see has the pid. */
    readonly state: 'self' | 'alive' | 'gone' | 'unknown';
    /** Whether its pid is counted in another pid namespace (a container) than ours. */
    readonly otherPidNamespace?: boolean | undefined;
  };
  /** What the exported object is now. */
  readonly source?: 'live' | 'freed' | undefined;
  /** What the bytes given as a handle turn out to be. */
  readonly handle?: 'zero' | 'memory' | 'event' | 'unknown' | undefined;
  /** Flags given to the call. */
  readonly flags?: number | undefined;
  /** Kind of memory the pointer belongs to. */
  readonly memory?:
    | 'device'
    | 'managed'
    | 'host'
    | 'pool'
    | 'virtual'
    | 'imported'
    | 'freed'
    | 'closed'
    | 'nobody'
    | undefined;
  /** The pool that the call is about. */
  readonly pool?:
    | {
        readonly imported: boolean;
        /** Created to be exported as a file descriptor. */
        readonly shareable: boolean;
        /** It was exported once. */
        readonly exported: boolean;
        /** Memory of it that is open in this process, of an imported one. */
        readonly openPointers?: number | undefined;
      }
    | undefined;
  /** The physical memory that the call is about. */
  readonly physical?: { readonly imported: boolean; readonly shareable: 'none' | 'fd' | 'fabric' } | undefined;
  /** The device that uses it was given no access to the pool that the memory is of. */
  readonly noPoolAccess?: boolean | undefined;
  /** Something is mapped already where memory is to be mapped. */
  readonly taken?: boolean | undefined;
  /** Access that is to be given. */
  readonly access?: 'none' | 'read' | 'read-write' | undefined;
  /** Whether the pointer lies inside its allocation rather than at the base. */
  readonly interior?: boolean | undefined;
  /** Bytes asked for. */
  readonly bytes?: number | undefined;
  readonly freeBytes?: number | undefined;
  /** False: this thread has no current context. */
  readonly hasContext?: boolean | undefined;
  /** This process has memory of the same exporter open in another context of the device. */
  readonly openInOtherContext?: boolean | undefined;
}

/** One hint, and when it is given. */
export interface Rule {
  /** Exported symbols, a pattern over them, or undefined for every call. */
  readonly calls?: readonly string[] | RegExp;
  /** CUresult numbers. */
  readonly results: readonly number[] | ((result: number) => boolean);
  /** Applies always when left out. */
  readonly when?: (situation: Situation) => boolean;
  /** The sentence. */
  readonly say: string | ((situation: Situation) => string);
}

/** Whether the rule is about this result of this call, in some situation. */
export function appliesTo({ calls, results }: Rule, call: string, result: number): boolean {
  if (typeof results === 'function' ? !results(result) : !results.includes(result)) return false;
  return calls instanceof RegExp ? calls.test(call) : calls === undefined || calls.includes(call);
}
