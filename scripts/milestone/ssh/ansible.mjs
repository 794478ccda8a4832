/** Ansible, with the inventory of the service. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { program } from '../../lib/service.mjs';
import { done, must } from '../../lib/words.mjs';
import { call } from '../stage.mjs';
import { ends, home, run } from './client.mjs';

/** @param {{ group: string, command: string, answer: string }} course */
const playbookFor = ({ group, command, answer }) => `
- hosts: all
  gather_facts: false
  tasks:
    - name: Without Python in the node
      raw: hostname; command -v python3; mktemp -d
      register: said
      changed_when: false
      failed_when: said.stdout_lines[0] != inventory_hostname
    # Ansible would look for others first, such as a python3.13 that pyenv names and does not run.
    - name: With the Python that a shell finds in the node
      set_fact: { ansible_python_interpreter: "{{ said.stdout_lines[1] }}" }
    - name: A file is copied
      copy: { content: "for {{ inventory_hostname }}", dest: "{{ said.stdout_lines[2] }}/file" }
    - name: It is there
      raw: cd '{{ said.stdout_lines[2] }}' && cat file && rm -r "$PWD"
      register: there
      changed_when: false
      failed_when: there.stdout != "for " + inventory_hostname
- hosts: ${group}
  gather_facts: false
  tasks:
    - name: A router
      command: ${command}
      register: router
      changed_when: false
      until: "'${answer}' in router.stdout"
      retries: 30
      delay: 1
`;

/**
 * @param {import('./client.mjs').LabOverSsh} lab
 * @param {Parameters<typeof playbookFor>[0]} course
 */
export async function runAnsible({ instance, knownHosts, token, key, url }, course) {
  const [inventory, playbook] = [path.join(home, 'lab.yml'), path.join(home, 'playbook.yml')];
  const words = ['inventory', '--server', url, instance];
  const env = { LAB_API_TOKEN: token };
  writeFileSync(inventory, ends(0, await run(process.execPath, [program, ...words], { env })));
  writeFileSync(playbook, playbookFor(course));
  const options = ['IdentitiesOnly=yes', 'IdentityAgent=none', `UserKnownHostsFile=${knownHosts}`];
  const played = await run('ansible-playbook', ['-i', inventory, '--private-key', key, playbook], {
    env: {
      ANSIBLE_NOCOLOR: '1',
      ANSIBLE_HOST_KEY_CHECKING: 'True',
      ANSIBLE_SSH_ARGS: ['-F none -o ControlMaster=no', ...options].join(' -o '),
    },
  });
  const out = ends(0, played);
  const { nodes } = await call(`/labs/${instance}`);
  for (const { name } of nodes) {
    const recap = new RegExp(`^${name} .*\\bok=[45] .*\\bunreachable=0 +failed=0 +skipped=0`, 'm');
    must(recap.test(out), `Ansible has not done all in ${name}:\n${out}`);
  }
  const count = out.match(/^\S+ +: ok=5 /gm)?.length ?? 0;
  must(count > 1, `${course.group} has ${count} nodes:\n${out}`);
  done(`ansible-playbook over the inventory of the service: ${nodes.length} nodes, ${count} of them routers`);
}
