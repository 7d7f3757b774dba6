/** State of the workflow of an open batch. */
export type WorkflowStanding =
  | { readonly type: 'running' | 'silent' }
  /** It has closed the batch. A batch that is still open was opened again since, and needs a new workflow. */
  | { readonly type: 'completed' }
  /** It was ended in another way, for example by hand. */
  | { readonly type: 'ended'; readonly message: string };
