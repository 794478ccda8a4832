/** A thread that reads templates: thousands of files, or a large one, would keep the event loop of the service for seconds. */
import { parentPort } from 'node:worker_threads';
import { templateAnswer, type TemplateTask } from './template-answer.ts';

parentPort?.on('message', (task: TemplateTask) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread of Node, no window of a browser
  void templateAnswer(task).then((answer) => parentPort?.postMessage(answer));
});
