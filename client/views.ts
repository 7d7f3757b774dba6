import type { ProfileView, viewChange } from './account/account-view.ts';
import type { BackupView, RestoreView } from './backup/backup-view.ts';
import type { pruneCacheAndUploads, showCachedRow, sumCache } from './cache/cache.ts';
import type { Cleaned } from './clean/clean.ts';
import type { DialectComparison } from './compare/compare-dialects.ts';
import type { ComparisonView } from './compare/compare.ts';
import type { CleanParts } from '../contract/cleaning.ts';
import type { ExitView } from '../contract/exit-codes.ts';
import type { ManifestProblem } from '../contract/manifest-problems.ts';
import type { viewHistory } from './history/history-view.ts';
import type { ComparedStoreView, LedgerCheckView, LedgerCopyView } from './ledger/ledger-view.ts';
import type { EventView } from './status/event-view.ts';
import type { viewEnd, viewResults, viewVerified } from './results/files-view.ts';
import type { viewRow } from './rows/row-view.ts';
import type { viewListed, viewStatus } from './status/status-view.ts';
import type { WrittenReport } from './report/write-report.ts';
import type { viewReconciled } from './reconcile/reconcile-view.ts';
import type { viewPreview } from './redrive/redrive-view.ts';
import type { viewPlan } from './run/plan-view.ts';
import type { OccurrenceView } from './schedules/occurrence-view.ts';
import type { checkSchedules, PreviewView, ScheduleLine, ShownSchedule } from './schedules/schedule-view.ts';
import type { viewJob } from './single/single-view.ts';
import type { SchemaReportView } from './schema/watch-schema.ts';
import type { viewControlResult, viewTuned } from './control/control-view.ts';
import type { WrittenLinks } from '../results/media-links.ts';
import type { ListedVoiceView, VoiceView } from './voices/find-voice.ts';

/**
 * Everything that commands show, by name. `--json` prints such a value with its names in snake_case; text is made from
 * it. `npm run docs` publishes the JSON Schema of each in `schemas/views/`, made from its type here.
 */
export interface Views {
  readonly status: ReturnType<typeof viewStatus>;
  readonly list: readonly ReturnType<typeof viewListed>[];
  /** `next`: what to do about the row, in words. */
  readonly explain: ReturnType<typeof viewRow> & { readonly next: string };
  readonly plan: ReturnType<typeof viewPlan>;
  /** The end of a command that worked on a batch. */
  readonly run: ReturnType<typeof viewEnd>;
  readonly results: ReturnType<typeof viewResults>;
  /** `results --media-links` */
  readonly 'media-links': WrittenLinks & { readonly batch: string };
  readonly report: WrittenReport;
  readonly verify: ReturnType<typeof viewVerified>;
  readonly job: ReturnType<typeof viewJob>;
  /** `redrive --dry-run` */
  readonly redrive: ReturnType<typeof viewPreview>;
  readonly reconcile: ReturnType<typeof viewReconciled>;
  readonly control: ReturnType<typeof viewControlResult>;
  readonly tune: ReturnType<typeof viewTuned>;
  readonly compare: ComparisonView & ExitView;
  readonly 'compare-dialects': DialectComparison & ExitView;
  readonly history: ReturnType<typeof viewHistory>;
  readonly clean: CleanView;
  readonly 'cache-list': Awaited<ReturnType<typeof sumCache>>;
  readonly 'cache-show': Awaited<ReturnType<typeof showCachedRow>>;
  readonly 'cache-prune': Awaited<ReturnType<typeof pruneCacheAndUploads>> & { readonly dryRun: boolean };
  readonly backup: BackupView;
  readonly restore: RestoreView;
  readonly 'ledger-copy': LedgerCopyView;
  readonly 'ledger-check': LedgerCheckView;
  readonly 'ledger-compare-store': ComparedStoreView;
  readonly 'voice-list': readonly ListedVoiceView[];
  readonly voice: VoiceView;
  readonly 'voice-deleted': { readonly voice: string; readonly result: string; readonly message: string };
  readonly profile: ProfileView;
  readonly 'profile-set': ReturnType<typeof viewChange>;
  readonly 'schedule-list': readonly ScheduleLine[];
  readonly schedule: ShownSchedule['view'];
  readonly 'schedule-preview': PreviewView;
  readonly 'schedule-check': Awaited<ReturnType<typeof checkSchedules>>;
  /** `done`: what was done with it. */
  readonly 'schedule-control': { readonly schedule: string; readonly done: string };
  readonly 'schedule-trigger': Views['schedule-control'] & OccurrenceView;
  /** `doctor --api` */
  readonly 'doctor-api': SchemaReportView;
  readonly doctor: readonly { readonly check: string; readonly ok: boolean; readonly says: string }[];
  readonly error: ErrorView;
  readonly event: EventView | EndedView;
}

/** Any of the views that `--json` prints. */
export type View = Views[keyof Views];

/** What a clean removed, or would remove. Sizes in bytes. */
export interface CleanView extends Omit<Cleaned, 'type'> {
  readonly batch: string;
  readonly dryRun: boolean;
  readonly removed: CleanParts;
}

/** Why a command ended without doing its job. */
interface ErrorView extends ExitView, ErrorFacts {
  readonly message: string;
  /** The command that helps; null: the message says to repeat the same one. */
  readonly next: string | null;
}

/**
 * The last event of a command, however it ends. `message`: null if it did its job; `next`, too, unless it has recorded
 * another take that is not over.
 */
export type EndedView = { readonly type: 'ended' } & (
  ErrorView | (ExitView & { readonly message: null; readonly next: string | null })
);

/** Further facts about an error. */
export interface ErrorFacts {
  /** The manifest at fault. */
  readonly manifest?: string;
  readonly problemCount?: number;
  readonly problems?: readonly ManifestProblem[];
  /** Batches that need the voice. */
  readonly usedBy?: VoiceView['usedBy'];
}
