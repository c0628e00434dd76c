/** About the app, its settings, the devices, and everything that is known. */
import * as v from 'valibot';
import { deviceSchema, driverInfoSchema } from '#contract/devices';
import { snapshotSchema } from '#contract/records';
import { settingsSchema } from '#contract/settings';
import { idSchema, roleSchema } from '#contract/values';
import { type CallDefinition, everyone, inspector, none } from './definition';

export const appCalls = {
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
  'ledger.snapshot': { args: none, result: snapshotSchema, roles: everyone, answers: 'main' },
} as const satisfies Record<string, CallDefinition>;
