/** The thread that understands long texts of users, labs and lab CLIs (`system/foreign-file.ts`), one after the other. */
import { parentPort } from 'node:worker_threads';
import { answerForeign, type Form, type ForeignAnswer, type ForeignTask } from '../system/foreign-file.ts';
import { annotationsFile } from './containerlab/annotations-file.ts';
import { containerlabTopologyForm } from './containerlab/containerlab-topology.ts';
import { engineLabsForm, engineNodesForm } from './engine/engine-state.ts';
import { engineTopologyForm } from './engine/engine-topology.ts';
import { bridgesForm } from './netlab/lab-remains.ts';
import { netlabTopologyForm } from './netlab/netlab-topology.ts';
import { recordForm } from './netlab-language/recorded-labs.ts';
import { placedProblems } from './placed-problems.ts';
import { topologyHead, topologyYaml } from './topology-yaml.ts';

const forms: readonly Form<unknown, never>[] = [
  containerlabTopologyForm,
  engineTopologyForm,
  engineLabsForm,
  engineNodesForm,
  netlabTopologyForm,
  recordForm,
  topologyYaml,
  topologyHead,
  placedProblems,
  bridgesForm,
  annotationsFile.positions,
  annotationsFile.changed,
];

const unknownForm: Pick<Form<unknown, never>, 'read' | 'maxBytes'> = {
  maxBytes: Infinity,
  read: () => {
    throw new Error('the thread does not know texts of this kind');
  },
};

parentPort?.on('message', ({ form: name, source, argument }: ForeignTask) => {
  const form = forms.find((one) => one.name === name) ?? unknownForm;
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread of Node, no window of a browser
  const answer = (sent: ForeignAnswer): void => parentPort?.postMessage(sent);
  void answerForeign(form, source, argument as never).then(answer);
});
