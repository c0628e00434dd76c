/** The records of the ledger, by table and id. Every change goes through here, so that none escapes the patches. */
import type { TableName, Tables } from '#contract/records';

/** Where changes are reported. */
export interface ChangeSink {
  put<T extends TableName>(table: T, record: Tables[T]): void;
  remove(table: TableName, id: string): void;
}

type Maps = { readonly [T in TableName]: Map<string, Tables[T]> };

export class RecordTables {
  private readonly maps: Maps = {
    peers: new Map(),
    allocations: new Map(),
    exports: new Map(),
    mappings: new Map(),
    events: new Map(),
    eventImports: new Map(),
    pools: new Map(),
    physicals: new Map(),
  };

  constructor(private readonly sink: ChangeSink) {}

  get<T extends TableName>(table: T, id: string): Tables[T] | undefined {
    return this.maps[table].get(id);
  }

  /** All records of a table, in the order in which they first came. */
  all<T extends TableName>(table: T): Tables[T][] {
    return [...this.maps[table].values()];
  }

  put<T extends TableName>(table: T, record: Tables[T]): void {
    this.maps[table].set(record.id, record);
    this.sink.put(table, record);
  }

  /** Changes some fields of a record; nothing happens when it is not there or nothing would change. */
  update<T extends TableName>(table: T, id: string, fields: Partial<Tables[T]>): void {
    const record = this.get(table, id);
    if (record === undefined) return;
    const changes = (Object.keys(fields) as (keyof Tables[T])[]).some((key) => record[key] !== fields[key]);
    if (changes) this.put(table, { ...record, ...fields });
  }

  remove(table: TableName, id: string): void {
    if (this.maps[table].delete(id)) this.sink.remove(table, id);
  }
}
