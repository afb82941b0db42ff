// SPDX-License-Identifier: ISC
// The same rules asked the same questions of one engine that npm has and of
// chock, in turns.  t/bench/policy starts it where questions, thousand.policy
// and the packages are; its words are the path of chock-policy-eval and the
// engine's name.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const rounds = 3;
const input = readFileSync('questions', 'utf8');
const questions = input.trim().split('\n').map((l) => JSON.parse(l).action);
const rules = readFileSync('thousand.policy', 'utf8').trim().split('\n')
	.map((line) => line.split(' ')[1]);

async function casbin() {
	const { newEnforcer, newModel, StringAdapter } = require('casbin');
	const model = newModel(`[request_definition]
r = sub, act
[policy_definition]
p = sub, act
[policy_effect]
e = some(where (p.eft == allow))
[matchers]
m = r.sub == p.sub && r.act == p.act`);
	const lines = rules.map((act) => `p, main, ${act}`).join('\n');
	const enforcer = await newEnforcer(model, new StringAdapter(lines));

	return (action) => enforcer.enforceSync('main', action);
}

async function cedar() {
	const engine = require('@cedar-policy/cedar-wasm/nodejs');
	const text = rules.map((act) => `permit(principal == Agent::"main", ` +
		`action == Action::"${act}", resource);`).join('\n');

	const parsed = engine.preparsePolicySet('thousand', { staticPolicies: text });
	if (parsed.type !== 'success')
		throw new Error(JSON.stringify(parsed));
	return (action) => engine.statefulIsAuthorized({
		principal: { type: 'Agent', id: 'main' },
		action: { type: 'Action', id: action },
		resource: { type: 'Any', id: 'any' },
		context: {}, entities: [], preparsedPolicySetId: 'thousand',
	}).response.decision === 'allow';
}

function chock() {
	const run = spawnSync(process.argv[2], ['--policy', './thousand.policy'],
		{ input, encoding: 'utf8' });
	return run.stdout.trim().split('\n')
		.map((line) => JSON.parse(line).decision === 'allow');
}

const wanted = questions.map((action) => rules.includes(action));
const peers = [];
for (const [name, open] of [['casbin', casbin], ['cedar-wasm', cedar]]) {
	if (name !== process.argv[3])
		continue;
	try {
		peers.push({ name, ask: await open(), times: [] });
	} catch (error) {
		console.log(`${name}: not measured, ${String(error.message).split('\n')[0]}`);
	}
}
peers.push({ name: 'chock-policy-eval, its start too', all: chock, times: [] });
for (let round = 0; round < rounds; round++)
	for (const peer of peers) {
		const start = process.hrtime.bigint();
		const got = peer.all ? peer.all() : questions.map(peer.ask);
		const us = Number(process.hrtime.bigint() - start) / 1e3;

		if (got.some((answer, i) => answer !== wanted[i]))
			throw new Error(`${peer.name} answers otherwise`);
		peer.times.push(us / questions.length);
	}
for (const { name, times } of peers) {
	times.sort((a, b) => a - b);
	console.log(`${name.padEnd(34)} ${times[rounds >> 1].toFixed(2).padStart(9)} us a question`);
}
