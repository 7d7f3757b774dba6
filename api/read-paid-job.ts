import { defined } from '../contract/defined.ts';
import { privateTextsOf, type JobOperation, type RowSpec } from '../contract/row-kinds.ts';
import type { Connection } from './connection.ts';
import { describeMembers } from './describe-members.ts';
import { clientOf } from './operations/client-of.ts';
import { readJob, readJobId } from './read-job.ts';
import { readJson } from './read-json.ts';
import { isErrorBody } from './read-error-body.ts';
import { asCredits } from './read-members.ts';
import type { JobReading } from './speech-api.ts';

/** Reads a job by id. `spec`: what its row asks for, if that is known. Throws ApiError. */
export async function readPaidJob(
  connection: Connection,
  operation: JobOperation,
  jobId: string,
  signal: AbortSignal | undefined,
  spec?: RowSpec,
): Promise<JobReading> {
  const { read, results } = clientOf(connection.dialect, operation);
  return readJson(
    connection,
    read(jobId),
    (json, answer) => {
      const names = { ...results, named: connection.resultMembers };
      const job = readJob(json, names, jobId, connection.baseUrl, spec);
      if (job === undefined) return undefined;
      // A failed read is never a failed job. An error body counts as one only if it names the job and its status.
      if (isErrorBody(json) && (job.status === '' || readJobId(json) === undefined)) return undefined;
      const credits = job.credits ?? asCredits(answer.header('x-openapi-credits-used'));
      const isWithoutLink = job.phase === 'completed' && job.resultUrl === undefined;
      const members = isWithoutLink ? describeMembers(json, connection.redact, privateTextsOf(spec)) : undefined;
      return { ...cleanReading(job, connection), ...defined({ credits, members }) };
    },
    signal,
  );
}

/** Removes tokens, links and overlong text from the API's words; keeps the result link. */
export function cleanReading(job: JobReading, connection: Pick<Connection, 'redact'>): JobReading {
  return {
    ...job,
    status: connection.redact(job.status, { longest: 60 }),
    ...(job.error === undefined ? {} : { error: connection.redact(job.error) }),
  };
}
