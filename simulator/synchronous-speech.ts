import type { Dialect } from '../contract/dialects.ts';
import { type Answer, json, newRequestId } from './answer.ts';
import type { Exchange } from './deliver.ts';
import type { Draw } from './draw.ts';
import { contentTypeOf, type MediaResult, renderMedia, speechOf } from './media-result.ts';
import type { AudioFormat } from './media/render-audio.ts';
import { spoilSpeech } from './spoil-speech.ts';
import { priceOf } from './price-request.ts';
import type { Service } from './service.ts';

/** A synchronous speech request, answered with the audio or a link to it. */
export interface SpeechOrder {
  readonly text: string;
  readonly voiceId: string;
  readonly format: AudioFormat;
  /** True to request a link instead of the audio. */
  readonly cache: boolean;
  readonly idempotencyKey: string | null;
}

const operation = 'speech-sync';

/** Returns the exchange that speaks a text and charges for it. Throws a refusal for an unusable text or voice. */
export function speakSynchronously(service: Service, order: SpeechOrder, dialect: Dialect): Exchange {
  const { text, voiceId, format, cache, idempotencyKey } = order;
  service.checkText(text);
  service.checkVoice(voiceId, { speaksAtOnce: true });
  const asked = speechOf(text, voiceId, format);
  const cost = priceOf(operation, asked);
  return {
    dialect,
    on: 'create',
    operation,
    subject: text,
    admission: service.admission(operation, cost),
    perform: async (fate, draw) => {
      const requestId = newRequestId();
      const charge = service.charge({
        operation,
        ...(draw.dialect === 'legacy' ? { dialect: 'legacy' } : {}),
        jobId: null,
        credits: cost,
        idempotencyKey,
        requestId,
        text,
        voiceId,
      });
      const sound = fate?.kind === 'speaks' ? spoilSpeech(asked, fate.as) : asked;
      const file = `${service.jobs.newId()}.${format}`;
      const result: MediaResult = { file, format, operation, subject: text, sound };
      const answer = cache
        ? linkAnswer(service, result, cost, draw)
        : bytesAnswer(service, result, { body: await renderMedia(format, sound), cost, draw });
      return { ...answer, charge };
    },
    otherMedia: () => renderMedia(format === 'mp3' ? 'wav' : 'mp3', asked),
  };
}

/**
 * `cache: true`: JSON with a link, in the form of the schema, of the shorter printed sample, or of the legacy paths.
 */
function linkAnswer(service: Service, result: MediaResult, cost: number, draw: Draw): Answer {
  service.keep(result);
  const { url, expires } = service.links.make(result.file);
  const always = { audio_url: url, quota_remaining: service.account.settings.credits };
  const named = { success: true, format: result.format, characters_used: charactersOf(result) };
  if (draw.dialect === 'legacy') return json(200, { ...named, ...always });
  const short = { ...always, credits_used: cost };
  if (draw.shape('cached.body') === 'short') return json(200, short);
  return json(200, { ...named, ...short, expires_at: new Date(expires).toISOString() });
}

/** The rendered audio, what it cost, and the form of the answer. */
interface Spoken {
  readonly body: Buffer;
  readonly cost: number;
  readonly draw: Draw;
}

function bytesAnswer(service: Service, result: MediaResult, { body, cost, draw }: Spoken): Answer {
  const { format } = result;
  const contentType = format === 'wav' ? draw.shape('wav.type') : contentTypeOf(format);
  const left = String(service.account.settings.credits);
  const facts =
    draw.dialect === 'legacy'
      ? { 'x-characters-used': String(charactersOf(result)), 'x-quota-remaining': left }
      : { 'x-openapi-credits-used': String(cost), 'x-openapi-quota-remaining': left };
  return {
    status: 200,
    headers: { 'content-type': contentType, ...(draw.shape('sync.headers') === 'named' ? facts : {}) },
    body,
    chunked: draw.shape('media.transfer') === 'chunked',
  };
}

function charactersOf({ subject }: MediaResult): number {
  return Array.from(subject).length;
}
