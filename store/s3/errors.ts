import { StoreUnwritable } from '../errors.ts';
import type { OutageProblem } from '../outage.ts';

/** A problem with a bucket: an error of S3, or why there is no answer. */
export interface BucketTrouble {
  /**
   * S3's code of the error, or one of ours: `AWAY` if nothing answers or the error is temporary, `NoCredentials`,
   * `NoRegion`, `Certificate`.
   */
  readonly code: string;
  /** The message of S3 or of the system. */
  readonly message: string;
  /** The operation with its object or prefix, see `describeOperation` (`request.ts`). */
  readonly operation?: string;
  /** The region that the bucket is in, if S3 named it. */
  readonly region?: string | undefined;
}

// Advice for several codes.
const KEYS = 'Check AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or the profile of AWS_PROFILE';
const KMS_KEY = 'Enable the KMS key of the bucket, or of the object that is named';
const SESSION = 'Sign in again, or renew AWS_SESSION_TOKEN';

/** What the user can do about an error, by its code. */
const ADVICE: Readonly<Record<string, string>> = {
  AWAY: 'Check the network, and AWS_ENDPOINT_URL_S3 if it is set',
  NoCredentials:
    'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE, or give this machine a role that may use the bucket',
  InvalidAccessKeyId: KEYS,
  SignatureDoesNotMatch: KEYS,
  XAdminUserNotFound: KEYS,
  ExpiredToken: SESSION,
  InvalidToken: SESSION,
  TokenRefreshRequired: SESSION,
  AccessDenied:
    'Allow these credentials s3:GetObject, s3:PutObject, s3:DeleteObject, s3:ListBucket, s3:AbortMultipartUpload and s3:ListBucketMultipartUploads, and the use of the KMS key if objects have one',
  InvalidObjectState: 'Restore its marks (.ledger, .store), and let no rule of the bucket archive them',
  'KMS.DisabledException': KMS_KEY,
  'KMS.KMSInvalidStateException': KMS_KEY,
  AllAccessDisabled: 'Ask the owner of the bucket',
  NoSuchBucket: 'Create the bucket, or correct VOXBATCH_STORE',
  NoSuchUpload: 'Let no other program and no lifecycle rule of the bucket abort uploads that are younger than a day',
  InvalidBucketName: 'Correct VOXBATCH_STORE',
  NoRegion: 'Set AWS_REGION to the region of the bucket, or AWS_ENDPOINT_URL_S3 to another S3 server',
  RequestTimeTooSkewed: 'Set the clock of this machine',
  Certificate: 'Add the certificate of its authority with NODE_EXTRA_CA_CERTS, or correct AWS_ENDPOINT_URL_S3',
  QuotaExceeded: 'The bucket is full: free some space, or raise its quota',
  XMinioStorageFull: 'The server is full: free some space',
  InsufficientStorage: 'The server is full: free some space',
};

/** Codes that mean that the bucket is in another region or on another server. */
const OTHER_REGION = new Set([
  'PermanentRedirect',
  'TemporaryRedirect',
  'Redirect',
  'AuthorizationHeaderMalformed',
  'IllegalLocationConstraintException',
]);

/** A place in a bucket cannot be used. No incomplete object was left there. */
export class BucketUnusable extends StoreUnwritable {
  /** How {@link Outage} treats this error: it waits for a place that is away, and for a person if the place refuses. */
  readonly outage: OutageProblem;

  constructor(place: string, trouble: BucketTrouble) {
    const { code, message, operation } = trouble;
    const problem = [...(operation === undefined ? [] : [operation]), describe(code, message)].join(': ');
    // Looks like a system call's error, so that the receiver blames neither the body nor the link.
    const cause = Object.assign(new Error(message), { code, syscall: 's3' });
    super(
      place,
      cause,
      `${place} cannot be used (${problem}). ${adviceFor(trouble)}, then run the same command again.`,
    );
    this.name = 'BucketUnusable';
    this.outage = this.isAway
      ? { problem }
      : { problem: `${place} refuses (${problem}). ${adviceFor(trouble)}.`, needsPerson: true };
  }
}

/** Returns the message with its code, unless it begins with that already. */
function describe(code: string, message: string): string {
  return code === 'AWAY' || message.startsWith(code) ? message : `${code}: ${message}`;
}

/** Returns what the user can do, without a period. */
function adviceFor({ code, region }: BucketTrouble): string {
  return OTHER_REGION.has(code)
    ? `The bucket is in another region, or on another server: set AWS_REGION${region === undefined ? ' to its region' : `=${region}`}, or AWS_ENDPOINT_URL_S3`
    : (ADVICE[code] ?? 'Check the S3 server');
}
