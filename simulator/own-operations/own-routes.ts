import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import type { OwnColumn, OwnOperation } from '../../contract/own-operations/own-operation.ts';
import { cellOf, type Operation, type OwnName } from '../../contract/row-kinds.ts';
import { acceptJob, type JobOrder } from '../accept-job.ts';
import { newRequestId } from '../answer.ts';
import { deliver, type Exchange } from '../deliver.ts';
import { contentTypeOf, soundOf, renderMedia, speechOf, type Sound } from '../media-result.ts';
import { priceOfWork } from '../price-request.ts';
import { readJob } from '../read-job.ts';
import type { Service } from '../service.ts';
import { speechAnswer } from '../speech-answer.ts';
import type { ApiRoutes } from '../routes/api-routes.ts';
import { idempotencyKeyOf, mediaUrl, readPart } from '../routes/read-request.ts';

/**
 * The endpoints of a user-defined operation, built from its definition. Its results speak the texts sent, or repeat the
 * audio sent.
 */
export function ownRoutes(own: OwnOperation): ApiRoutes {
  return {
    add(api, service) {
      api.post(own.path, (request, reply) => deliver(service, create(own, service, request), reply));
      if (own.answer !== 'job') return;
      api.get<{ Params: { id: string } }>(`${own.path}/:id`, (request, reply) =>
        deliver(service, readOwnJob(own, service, request.params.id), reply),
      );
    },
    paths: {},
  };
}

/** The schema of a request field, by what the cells of its column hold. */
const FIELDS: Readonly<Record<NonNullable<OwnColumn['cell']> | 'link', z.ZodType<string | number>>> = {
  text: z.string().min(1),
  name: z.string().min(1),
  number: z.number(),
  link: mediaUrl,
};

/** Returns the schema of the operation's request body. */
function bodyOf({ columns }: OwnOperation): z.ZodType<Record<string, string | number | undefined>> {
  const members = Object.entries(columns).map(([column, { field, optional }]) => {
    // The operation was added, so each of its columns has a kind of cells, one of these.
    const value = FIELDS[cellOf(column as OwnName) as keyof typeof FIELDS];
    return [field, optional === true ? value.optional() : value] as const;
  });
  return z.object(Object.fromEntries(members));
}

/** Reads a request into what to make for it, and at what price. */
function orderOf(own: OwnOperation, service: Service, request: FastifyRequest): JobOrder {
  const body = readPart(bodyOf(own), request.body);
  const cell = (column: string): string | number | undefined => body[own.columns[column]?.field ?? ''];
  const sent = (column: string): string | undefined => cell(column)?.toString();
  const subject = Object.values(body).join(' ');
  const [audio, video, text] = [sent('audio'), sent('video'), sent('text')];
  const heard = [audio, video].flatMap((url) => (url === undefined ? [] : soundOf(url, service)));
  const sound: Sound = heard[0] ?? speechOf(text ?? subject, own.name, 'mp3');
  const duration = heard.length === 0 ? undefined : Math.max(...heard.map(({ seconds }) => seconds));
  const { column } = own.price;
  const number = column === undefined ? undefined : Number(cell(column));
  const operation = own.name as JobOrder['operation'];
  return {
    operation,
    cost: priceOfWork(operation, { text, duration, number }),
    format: own.result === 'video' ? 'mp4' : 'mp3',
    subject,
    sound,
    inputs: { text: text ?? subject },
    idempotencyKey: idempotencyKeyOf(request),
  };
}

function create(own: OwnOperation, service: Service, request: FastifyRequest): Exchange {
  const order = orderOf(own, service, request);
  const { cost, format, subject, sound, inputs, idempotencyKey } = order;
  const operation: Operation = order.operation;
  return {
    on: 'create',
    operation,
    subject,
    admission: service.admission(operation, cost),
    perform: async (fate, draw) => {
      if (own.answer === 'job') {
        const { job, charge } = acceptJob(service, draw, fate, order);
        return { ...speechAnswer(service, job, fate, draw, 202), charge };
      }
      const body = await renderMedia(format, sound);
      const requestId = newRequestId();
      const charge = service.charge({ operation, jobId: null, credits: cost, idempotencyKey, requestId, ...inputs });
      return { status: 200, headers: { 'content-type': contentTypeOf(format) }, body, charge };
    },
  };
}

function readOwnJob({ name }: OwnOperation, service: Service, id: string): Exchange {
  return readJob(service, name as JobOrder['operation'], id, {
    what: 'Job',
    answer: (job, fate, draw) => speechAnswer(service, job, fate, draw, 200),
  });
}
