/** A request to a bucket. It may be sent more than once. */
export interface BucketRequest {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** The object's key, with the prefix. Default: the bucket itself. */
  readonly key?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Default: none. */
  readonly body?: Uint8Array;
  /** Hex hash of the body, if it is known. */
  readonly sha256?: string;
  /** The root element of S3's answer. Default: the answer is not XML. */
  readonly root?: string;
  /** Whether the server may take minutes to answer. Default false. */
  readonly isSlow?: boolean;
  /**
   * Statuses, and error codes of S3, that `BucketClient` (`client.ts`) returns as answers, besides 2xx. Default: none.
   */
  readonly accepts?: readonly (number | string)[];
  /**
   * After how many temporary errors of the server `ServerFails` (`client.ts`) is thrown. Default: it is repeated
   * as long as the bucket's time limit allows.
   */
  readonly tries?: number;
}

/** The parts of a request that determine its operation. */
type OperationFacts = Pick<BucketRequest, 'method' | 'key' | 'query' | 'headers'>;

/** Returns S3's name for the operation of a request, as in its documentation, policies and logs. */
export function operationOf({ method, key = '', query = {}, headers = {} }: OperationFacts): string {
  if (method === 'PUT' && 'uploadId' in query) return 'UploadPart';
  if (method === 'PUT') return 'x-amz-copy-source' in headers ? 'CopyObject' : 'PutObject';
  if (method === 'POST') return 'uploads' in query ? 'CreateMultipartUpload' : 'CompleteMultipartUpload';
  if (method === 'DELETE') return 'uploadId' in query ? 'AbortMultipartUpload' : 'DeleteObject';
  if (method === 'HEAD') return 'HeadObject';
  if (key !== '') return 'GetObject';
  return 'uploads' in query ? 'ListMultipartUploads' : 'ListObjectsV2';
}

/**
 * Returns an operation with its object or prefix, for messages, such as `PutObject
 * lines-0a1b2c3d4e/0000/7-speech-1.mp3`.
 */
export function describeOperation(operation: string, { key, query = {} }: OperationFacts): string {
  return [operation, key ?? query['prefix'] ?? ''].join(' ').trimEnd();
}
