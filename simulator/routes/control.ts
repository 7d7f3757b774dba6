import { messageOf } from '../../contract/message-of.ts';
import type { FastifyInstance } from 'fastify';
import * as z from 'zod';
import { parseFaultPlan } from '../fault-plan.ts';
import type { Service } from '../service.ts';
import { WEBHOOK_MODES } from '../webhook-modes.ts';

const settings = z.strictObject({
  token: z.string().min(1).optional(),
  credits: z.number().min(0).optional(),
  rate: z.number().positive().nullable().optional(),
  concurrency: z.int().min(1).nullable().optional(),
  /** For jobs created from now on; running jobs end within the longer of the two. */
  jobMs: z
    .tuple([z.int().min(0), z.int()])
    .refine(([low, high]) => low <= high, 'expected the shorter duration first')
    .optional(),
  /** For jobs created from now on. */
  webhooks: z.enum(WEBHOOK_MODES).optional(),
});

/**
 * Adds `/__simulator/…`, which is not part of the API and needs no token: the ledger of charges, counts, and changes at
 * run time.
 */
export function addControlRoutes(server: FastifyInstance, service: Service): void {
  server.get('/__simulator/ledger', () => service.ledger.list());
  server.get('/__simulator/stats', () => service.statistics.report());
  server.get('/__simulator/media', () => service.mediaFetches.list());
  server.get('/__simulator/voices', () => service.voices.list(null, null).map(({ id }) => id));
  server.put('/__simulator/plan', (request, reply) => {
    try {
      service.replacePlan(parseFaultPlan(request.body));
    } catch (error) {
      return reply.code(400).send({ message: messageOf(error) });
    }
    return { success: true };
  });
  server.put('/__simulator/settings', (request, reply) => {
    const changed = settings.safeParse(request.body);
    if (!changed.success) return reply.code(400).send({ message: z.prettifyError(changed.error) });
    const { account, limits } = service;
    const { token, credits, rate, concurrency, jobMs, webhooks } = changed.data;
    if (token !== undefined) account.settings.token = token;
    if (credits !== undefined) account.settings.credits = credits;
    if (rate !== undefined) limits.settings.rate = rate;
    if (concurrency !== undefined) limits.settings.concurrency = concurrency;
    if (webhooks !== undefined) service.settings.webhooks = webhooks;
    if (jobMs !== undefined) {
      service.settings.jobMs = jobMs;
      service.jobs.hasten(Date.now(), jobMs[1]);
    }
    return { success: true };
  });
}
