import type { Migration, MigrationProvider } from 'kysely';
import { first } from './0001-first.ts';
import { takes } from './0002-takes.ts';
import { toldAndHold } from './0003-told-and-hold.ts';
import { words } from './0004-words.ts';
import { lanes } from './0005-lanes.ts';
import { keptCounts } from './0006-kept-counts.ts';
import { reasons } from './0007-reasons.ts';
import { layout } from './0008-layout.ts';
import { decisions } from './0009-decisions.ts';
import { subset } from './0010-subset.ts';
import { notices } from './0011-notices.ts';
import { occurrences } from './0012-occurrences.ts';
import { results } from './0013-results.ts';
import { rowsById } from './0015-rows-by-id.ts';
import { cleaning } from './0016-cleaning.ts';
import { fetchedManifests } from './0017-fetched-manifests.ts';
import { scheduleHooks } from './0018-schedule-hooks.ts';
import { freeNames } from './0019-free-names.ts';
import { awaitedVoices } from './0020-awaited-voices.ts';
import { webhooks } from './0022-webhooks.ts';
import { madeWhileStopping } from './0023-made-while-stopping.ts';
import { watchedVoices } from './0024-watched-voices.ts';
import { parts } from './0026-parts.ts';
import { textLimits } from './0027-text-limits.ts';
import { verification } from './0028-verification.ts';
import { namedParts } from './0030-named-parts.ts';
import { refusedVoices } from './0035-refused-voices.ts';
import { cachedAgain } from './0036-cached-again.ts';
import { scheduleSettings } from './0037-schedule-settings.ts';
import { noticeClaimers } from './0039-notice-claimers.ts';
import { chargeRatios } from './0042-charge-ratios.ts';
import { workerEnds } from './0044-worker-ends.ts';
import { reservedRows } from './0045-reserved-rows.ts';
import { ratiosByOperation } from './0046-ratios-by-operation.ts';
import { returns } from './0047-returns.ts';
import { operationsOfCharges } from './0048-operations-of-charges.ts';
import { ratiosBySize } from './0049-ratios-by-size.ts';
import { knownPrices } from './0050-known-prices.ts';
import { schedulePauses } from './0051-schedule-pauses.ts';

/** Every migration, by a name that sorts in the order in which they run. */
const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-first': first,
  '0002-takes': takes,
  '0003-told-and-hold': toldAndHold,
  '0004-words': words,
  '0005-lanes': lanes,
  '0006-kept-counts': keptCounts,
  '0007-reasons': reasons,
  '0008-layout': layout,
  '0009-decisions': decisions,
  '0010-subset': subset,
  '0011-notices': notices,
  '0012-occurrences': occurrences,
  '0013-results': results,
  '0015-rows-by-id': rowsById,
  '0016-cleaning': cleaning,
  '0017-fetched-manifests': fetchedManifests,
  '0018-schedule-hooks': scheduleHooks,
  '0019-free-names': freeNames,
  '0020-awaited-voices': awaitedVoices,
  '0022-webhooks': webhooks,
  '0023-made-while-stopping': madeWhileStopping,
  '0024-watched-voices': watchedVoices,
  '0026-parts': parts,
  '0027-text-limits': textLimits,
  '0028-verification': verification,
  '0030-named-parts': namedParts,
  '0035-refused-voices': refusedVoices,
  '0036-cached-again': cachedAgain,
  '0037-schedule-settings': scheduleSettings,
  '0039-notice-claimers': noticeClaimers,
  '0042-charge-ratios': chargeRatios,
  '0044-worker-ends': workerEnds,
  '0045-reserved-rows': reservedRows,
  '0046-ratios-by-operation': ratiosByOperation,
  '0047-returns': returns,
  '0048-operations-of-charges': operationsOfCharges,
  '0049-ratios-by-size': ratiosBySize,
  '0050-known-prices': knownPrices,
  '0051-schedule-pauses': schedulePauses,
};

/** Migrations as code modules: a compiled and bundled voxbatch has no folder of them to read. */
export const MIGRATION_PROVIDER: MigrationProvider = {
  getMigrations: () => Promise.resolve({ ...MIGRATIONS }),
};
