/**
 * The dimensions in which answers differ. Public material about the service contradicts itself in each of them, so the
 * simulator sends every variant and prefers none.
 */
export const SHAPES = {
  /** The task of a speech job: bare, inside `task`, or the `task` + `record` + `requestId` of the served schema. */
  'speech.body': ['flat', 'task', 'task-record'],
  'speech.id': ['id', 'taskId', 'task_id'],
  /** Which member of `task` + `record` holds id and status. */
  'speech.holder': ['task', 'record', 'both'],
  'speech.link': ['top', 'task', 'record'],
  'speech.credits': ['named', 'unnamed'],
  'word.waiting': ['queued', 'pending'],
  'word.done': ['completed', 'succeeded', 'success', 'done'],
  'word.failed': ['failed', 'error'],
  /** Where a failed job gives its reason. */
  'job.error': ['error_message', 'errorMessage', 'message', 'error', 'code-message', 'object'],
  'cached.body': ['full', 'short'],
  'sync.headers': ['named', 'unnamed'],
  'media.transfer': ['length', 'chunked'],
  'wav.type': ['audio/wav', 'audio/x-wav', 'audio/wave'],
  'lip.message': ['given', 'absent'],
  'lip.result': ['result_url', 'resultUrl'],
  'lip.status': ['200', '201', '202'],
  'lip.details': ['given', 'absent'],
  'list.member': ['tasks', 'items', 'jobs'],
  'list.paging': ['snake', 'camel'],
  'list.echo': ['camel', 'snake'],
  'segments.times': ['start-end', 'startTime-endTime', 'start_time-end_time', 'start_ms-end_ms', 'untimed', 'empty'],
  'voice.id': ['id', 'voiceId'],
  'voice.name': ['name', 'title'],
  'voices.body': ['paged', 'bare'],
  /** The answer for a voice that does not exist; the last only if the answer would be the audio. */
  'voice.missing': ['400', '404', '200'],
  /** The wording for a text that is too long. */
  'text.limit': ['at-most', 'max', 'exceeds', 'contains', 'vague'],
  /** How a list shows a voice's training and engines, if there is anything to show. */
  'voice.training': ['status', 'state', 'trained', 'untold'],
  'voice.engines': ['modelIds', 'untold'],
  /** How the voice list is paged; drawn once per run. */
  'voices.paging': ['offset', 'page', 'none'],
  'voices.size': ['asked', 'small', 'large'],
  /** `page`: the number on the page; `more`: too high. */
  'voices.total': ['true', 'missing', 'page', 'more'],
  'voices.filter': ['honoured', 'ignored'],
  'voice.created': ['bare', 'wrapped', 'legacy'],
  'voice.deleted': ['empty', 'message', 'no-content'],
  'profile.extra': ['given', 'absent'],
  /** Whether, and by which name, the profile shows the address of the webhook. */
  'profile.webhook': ['webhookUrl', 'webhook_url', 'absent'],
  /** How unknown fields of an update are handled. */
  'profile.unknown': ['ignored', 'refused'],
  /** The value that removes the webhook's address. */
  'profile.clear': ['null', 'empty', 'nothing'],
  /** How and where a webhook names its job, and whether it states its content type. */
  'webhook.body': ['id', 'job-status', 'nested', 'form', 'text', 'query', 'header'],
  'webhook.type': ['given', 'absent'],
  'profile.updated': ['profile', 'success'],
  'error.body': ['code-message', 'code-message-retryable', 'error-details'],
  'error.code': ['word', 'constant'],
  /** On the legacy paths: the word for a job right after its creation. */
  'legacy.created': ['pending', 'processing'],
  /** On the legacy paths: the members of an error besides its message. */
  'legacy.error': ['bare', 'details', 'details-code'],
  /** On the legacy paths: the wording of a 429 for missing credits. */
  'legacy.broke': ['credits', 'insufficient', 'unclear'],
  'dead.status': ['403', '410'],
  'dead.body': ['xml', 'html'],
} as const;

/** Something in which answers that mean the same may differ. */
export type Dimension = keyof typeof SHAPES;
/** One of the forms that answers take in a dimension. */
export type Variant<D extends Dimension> = (typeof SHAPES)[D][number];

/** Dimensions that are not drawn. */
export type FixedShape = { readonly [D in Dimension]?: Variant<D> };

/** Named sets of fixed dimensions, one per source. Dimensions that the source leaves open are still drawn. */
export const NAMED_SHAPES: Readonly<Record<string, string>> = {
  docs: 'speech.body=flat,speech.id=id,word.waiting=queued,word.done=completed,word.failed=failed,lip.message=given,voice.id=id,voices.body=paged,error.body=code-message',
  schema:
    'speech.body=task-record,speech.credits=named,lip.message=absent,lip.result=result_url,cached.body=full,error.body=code-message',
  legacy:
    'word.waiting=pending,lip.result=result_url,list.member=tasks,list.paging=snake,list.echo=snake,error.body=error-details',
};

/** Dimensions fixed on the legacy paths, for which public material shows a single form. */
export const LEGACY_SHAPE: FixedShape = {
  'word.waiting': 'pending',
  'word.done': 'completed',
  'word.failed': 'failed',
  'job.error': 'error_message',
  'lip.message': 'given',
  'lip.result': 'result_url',
  'lip.status': '200',
  'lip.details': 'given',
  'list.member': 'tasks',
  'list.paging': 'snake',
  'list.echo': 'snake',
};

/**
 * Parses a shape: `drawn`, a name of {@link NAMED_SHAPES}, or comma-separated `dimension=variant` pairs. Throws if a
 * dimension or variant does not exist.
 */
export function parseShape(shape: string): FixedShape {
  if (shape === 'drawn') return {};
  const fixed: Record<string, string> = {};
  for (const pair of (NAMED_SHAPES[shape] ?? shape).split(',')) {
    const [dimension = '', variant = ''] = pair.split('=').map((part) => part.trim());
    if (!isDimension(dimension)) {
      throw new Error(
        `shape: expected drawn, ${Object.keys(NAMED_SHAPES).join(', ')}, or pairs of ${Object.keys(SHAPES).join(', ')} with their variant; got ${JSON.stringify(pair)}`,
      );
    }
    const variants: readonly string[] = SHAPES[dimension];
    if (!variants.includes(variant)) {
      throw new Error(
        `shape: expected ${dimension} to be one of ${variants.join(', ')}; got ${JSON.stringify(variant)}`,
      );
    }
    fixed[dimension] = variant;
  }
  return fixed;
}

function isDimension(text: string): text is Dimension {
  return Object.hasOwn(SHAPES, text);
}
