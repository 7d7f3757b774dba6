import { IllegalStateError } from '@temporalio/common';
import { DefaultLogger, makeTelemetryFilterString, Runtime, type TelemetryOptions } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { ProcessEvent } from '../contract/log-events.ts';
import { snakeName } from '../contract/snake-case.ts';

/**
 * Installs the runtime of Temporal's SDK and returns it. Writes the SDK's log messages to `log`, and its metrics to the
 * `metrics` exporter (default: none). A process can have only one runtime: if there is one already, from an earlier
 * call or from the program that embeds voxbatch, returns that one unchanged.
 */
export function installRuntime(log: Logger, metrics?: TelemetryOptions['metrics']): Runtime {
  try {
    return Runtime.install({
      shutdownSignals: [],
      logger: new DefaultLogger('WARN', ({ level, message, meta }) => {
        const event: ProcessEvent = 'temporal';
        log[level === 'ERROR' ? 'error' : 'warn']({ event, ...withoutPayloads(meta) }, message);
      }),
      telemetryOptions: {
        logging: { filter: makeTelemetryFilterString({ core: 'ERROR', other: 'ERROR' }), forward: {} },
        ...(metrics === undefined ? {} : { metrics }),
      },
    });
  } catch (error) {
    if (!(error instanceof IllegalStateError)) throw error;
    return Runtime.instance();
  }
}

/** Returns the ids and the error of an SDK log entry; all else may contain payloads. */
function withoutPayloads(meta: Record<string | symbol, unknown> | undefined): Record<string, unknown> {
  const kept = ['workflowId', 'activityType', 'workflowType', 'attempt'] as const;
  const error = meta?.['error'];
  return {
    ...Object.fromEntries(kept.flatMap((name) => (meta?.[name] === undefined ? [] : [[snakeName(name), meta[name]]]))),
    ...(error instanceof Error ? { error: error.message } : {}),
  };
}
