import { resolve } from 'node:path';
import { defaultOut, nameFromFile } from '../../contract/batch-name.ts';
import {
  chooseSettings,
  givesReading,
  type AskedReading,
  type BatchChoices,
  type WantedBatch,
} from '../../batches/batch-settings.ts';
import type { Subset } from '../../contract/subset.ts';
import type { Config } from '../../inputs/config-file.ts';
import { checkWanted } from '../check-options.ts';
import type { Confirm } from '../person.ts';
import type { BatchPlan } from './put-on-record.ts';

/** How to run a manifest. Options that are left out come from the configuration. */
export interface RunOptions extends WantedBatch {
  /** Default: made from the manifest's file name. */
  readonly name?: string;
  /** Folder of its files. Default `out/NAME`. */
  readonly out?: string;
  /** Called before a bill above `confirmAbove` of the configuration is paid. Default: such a bill is refused. */
  readonly confirm?: Confirm;
}

/** What to run, with all defaults filled in. */
export interface RunPlan extends BatchPlan, BatchChoices, AskedReading {
  /** Folder of its files, absolute. */
  readonly out: string;
  /** The rows to run; null: all. */
  readonly subset: Subset | null;
}

/** Fills in the defaults. Throws {@link VoxbatchError} (`bad-option`). */
export function planOf(
  manifest: string,
  wanted: RunOptions & Partial<Pick<RunPlan, 'probe' | 'confirmAbove'>>,
  config: Config,
): RunPlan {
  const { name = nameFromFile(manifest), nameTemplate, subset = null, tuning = {}, probe = false } = wanted;
  checkWanted(wanted, name);
  return {
    name,
    out: resolve(wanted.out ?? defaultOut(name)),
    ...chooseSettings(wanted, config),
    ...{ subset, tuning, probe, confirmAbove: wanted.confirmAbove ?? config.confirmAbove ?? null },
    givesTemplate: nameTemplate !== undefined,
    givesReading: givesReading(wanted),
    givesDialect: wanted.apiDialect !== undefined,
    wantedFinish: wanted.finish,
  };
}
