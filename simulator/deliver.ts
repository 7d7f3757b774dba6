import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import type { Dialect } from '../contract/dialects.ts';
import { type Answer, html, json } from './answer.ts';
import type { Draw } from './draw.ts';
import type { Fault, FaultTarget, WrongBody } from './fault-plan.ts';
import { endlessMatroska } from './media/endless-matroska.ts';
import { encodeSilence } from './media/encode-wav.ts';
import { errorAnswer, Refusal, refusalOf, softErrorBody } from './refusals.ts';
import type { Admission, Service } from './service.ts';

/** A timer that does not keep the process alive. */
const UNHELD = { ref: false };

/** The faults that change how an exchange is performed; all others only change how its answer is sent. */
export type Fate = Extract<
  Fault,
  { kind: 'job-fails' | 'job-stuck' | 'unknown-status' | 'dead-link' | 'link-name' | 'speaks' | 'hears' }
> | null;

/** A request that a fault plan can affect. */
export interface Exchange extends FaultTarget {
  /** The dialect of the request. Default `v1`. */
  readonly dialect?: Dialect;
  /** For a paid request: its latency, and its admission by the limits. */
  readonly admission?: Admission;
  /** Performs the request, accepting and charging a paid one, and makes the true answer. */
  perform(fate: Fate, draw: Draw): Answer | Promise<Answer>;
  /** For a media answer: media other than requested. */
  otherMedia?(): Promise<Buffer>;
}

/**
 * Performs an exchange, and its fault if any, on the raw socket.
 *
 * Order: half of the latency passes; limits are checked; the fault is drawn; the request is accepted, unless the fault
 * prevents it; the other half of the latency passes; the answer is sent, unless the fault prevents it. A client that
 * has disconnected meanwhile changes nothing: what has arrived is accepted.
 */
export async function deliver(service: Service, exchange: Exchange, reply: FastifyReply): Promise<void> {
  reply.hijack();
  const draw = service.nextDraw(exchange.dialect);
  const half = (exchange.admission?.latencyMs ?? 0) / 2;
  try {
    if (half > 0) await sleep(half, undefined, UNHELD);
    exchange.admission?.enter();
    const fault = service.faults.next(exchange);
    if (fault !== null) service.statistics.countFault(exchange.on, fault);
    const answer = isBlocked(fault) ? null : await exchange.perform(fateOf(fault), draw);
    if (half > 0) await sleep(half, undefined, UNHELD);
    if (fault === null) send(reply, expectAnswer(answer));
    else await sendFaulty(reply, exchange, fault, answer, draw);
  } catch (error) {
    send(reply, refusedAnswer(error, draw));
  } finally {
    exchange.admission?.leave();
  }
}

/** Returns the answer to a thrown error; anything but a refusal is an error of the simulator itself. */
export function refusedAnswer(error: unknown, draw: Draw): Answer {
  if (error instanceof Refusal) return errorAnswer(error, draw);
  process.stderr.write(`simulator: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  return errorAnswer(refusalOf(500, 'The simulator itself failed; see its stderr'), draw);
}

/** Returns whether a fault prevents that the request is accepted. */
function isBlocked(fault: Fault | null): boolean {
  switch (fault?.kind) {
    case 'reset-before':
      return true;
    case 'status':
    case 'soft-error':
    case 'html':
    case 'hang':
      return !fault.accepted;
    default:
      return false;
  }
}

function fateOf(fault: Fault | null): Fate {
  switch (fault?.kind) {
    case 'job-fails':
    case 'job-stuck':
    case 'unknown-status':
    case 'dead-link':
    case 'link-name':
    case 'speaks':
    case 'hears':
      return fault;
    default:
      return null;
  }
}

/** Sends what a fault makes of the answer; null if the fault prevented that there is one. */
async function sendFaulty(
  reply: FastifyReply,
  exchange: Exchange,
  fault: Fault,
  answer: Answer | null,
  draw: Draw,
): Promise<void> {
  switch (fault.kind) {
    case 'status':
      send(reply, statusAnswer(fault, draw));
      return;
    case 'accept-then-500':
      send(reply, errorAnswer(refusalOf(500), draw));
      return;
    case 'soft-error':
      send(reply, json(200, softErrorBody(draw)));
      return;
    case 'html':
      send(reply, html(200, 'Welcome'));
      return;
    case 'hang':
      return;
    case 'reset-before':
    case 'reset-after':
      reply.raw.socket?.resetAndDestroy();
      return;
    case 'cut':
      sendPart(reply, expectAnswer(answer), 'reset');
      return;
    case 'wrong-length':
      sendPart(reply, { ...expectAnswer(answer), chunked: false }, 'end');
      return;
    case 'wrong-type':
      send(reply, { ...expectAnswer(answer), chunked: false, body: await wrongBody(fault.body, exchange, draw) });
      return;
    case 'late':
      await sleep(fault.ms, undefined, UNHELD);
      send(reply, expectAnswer(answer));
      return;
    case 'redirect':
      send(reply, redirectOnce(reply.request.url) ?? expectAnswer(answer));
      return;
    case 'dead-link':
    case 'link-name':
    case 'job-fails':
    case 'job-stuck':
    case 'unknown-status':
    case 'speaks':
    case 'hears':
      send(reply, expectAnswer(answer));
      return;
  }
}

/** Returns a redirect to the same link with a marker; null for a link that has the marker already. */
function redirectOnce(link: string): Answer | null {
  const moved = '&moved=1';
  return link.endsWith(moved)
    ? null
    : { status: 302, headers: { location: `${link}${moved}` }, body: Buffer.from('Moved') };
}

/** Returns the true answer, which exists for every fault that does not block the request. */
function expectAnswer(answer: Answer | null): Answer {
  if (answer === null) throw new Error('a fault that blocks a request wants to send its answer');
  return answer;
}

/** Length of the silence that a `silence` fault sends, in seconds. */
const SILENT_SECONDS = 0.5;

async function wrongBody(body: WrongBody, exchange: Exchange, draw: Draw): Promise<Buffer> {
  if (body === 'html') return html(200, 'Welcome').body;
  if (body === 'silence') return encodeSilence(SILENT_SECONDS);
  if (body === 'endless') return endlessMatroska();
  if (body === 'other-media' && exchange.otherMedia !== undefined) return exchange.otherMedia();
  return json(200, softErrorBody(draw)).body;
}

/** Returns the `Retry-After` header of a fault; null if it has none. */
function retryAfterOf({ retryAfter, retryAfterAs }: Extract<Fault, { kind: 'status' }>): string | null {
  if (retryAfter === undefined) return null;
  return retryAfterAs === 'date' ? new Date(Date.now() + retryAfter * 1000).toUTCString() : String(retryAfter);
}

function statusAnswer(fault: Extract<Fault, { kind: 'status' }>, draw: Draw): Answer {
  const retryAfter = retryAfterOf(fault);
  if (fault.body === 'own') return errorAnswer(refusalOf(fault.status, fault.message, retryAfter), draw);
  const foreign = html(fault.status, `${fault.status} from the gateway`);
  const body = fault.body === 'empty' ? Buffer.alloc(0) : foreign.body;
  return {
    ...foreign,
    body,
    ...(retryAfter === null ? {} : { headers: { ...foreign.headers, 'retry-after': retryAfter } }),
  };
}

/** Sends a complete answer, and marks its charge as answered once it is handed to the socket. */
export function send(reply: FastifyReply, answer: Answer): void {
  const { raw } = reply;
  if (raw.destroyed) return;
  const { charge } = answer;
  if (charge !== undefined) raw.once('finish', () => (charge.answered = 'sent'));
  raw.writeHead(answer.status, headersOf(answer));
  if (answer.chunked === true) raw.write(answer.body.subarray(0, answer.body.length >>> 1));
  raw.end(answer.chunked === true ? answer.body.subarray(answer.body.length >>> 1) : answer.body);
}

/** Sends half of a body, then resets the connection, or closes it normally although more was announced. */
function sendPart(reply: FastifyReply, answer: Answer, then: 'reset' | 'end'): void {
  const { raw } = reply;
  if (raw.destroyed) return;
  raw.writeHead(answer.status, { ...headersOf(answer), connection: 'close' });
  raw.write(answer.body.subarray(0, answer.body.length >>> 1), () => {
    if (then === 'reset') raw.socket?.resetAndDestroy();
    else raw.socket?.end();
  });
}

function headersOf(answer: Answer): Record<string, string> {
  const unmeasured = answer.chunked === true || answer.status === 204;
  return unmeasured ? { ...answer.headers } : { ...answer.headers, 'content-length': String(answer.body.length) };
}
