import type { Effect } from '#contracts/effects';
import { unmentioned } from './unmentioned.js';

const said = (intent: string, ...effects: Effect[]) =>
  unmentioned(
    intent,
    effects.map((effect) => ({ effect })),
  );

describe('what the words of an agent do not mention', () => {
  it.each<[string, ...Effect[]]>([
    ['Read the newest version of the page', 'delete', 'write'],
    ['List the files of the bucket', 'credentials'],
    ['Please check whether Dana is still in the channel', 'permissions'],
    ['Update the title of the page', 'money'],
    ['Look up the customer who wrote in', 'delete', 'permissions'],
    ['I want to see which pages are new', 'delete'],
  ])('is the strong effects where it names another act: %s', (intent, ...effects) => {
    expect(said(intent, ...effects)).toEqual(effects.filter((effect) => effect !== 'write'));
  });

  it.each<[string, string, ...Effect[]]>([
    ['names the effect', 'Check the list and delete all duplicates', 'delete'],
    ['names it in other words', 'Fix the order of the list: get rid of the second entry', 'delete'],
    ['names it as a thing', 'Update the price of the boots and the title', 'money'],
    ['names one of several', 'Review who has access to the page', 'delete', 'permissions'],
    ['does not do anything strong', 'Read the newest version of the page', 'read', 'personalData', 'publishing'],
    ['is only a reason', 'The parcel arrived broken, and she wants to keep the rest', 'money'],
    ['names no harmless act', 'Clean up the test users', 'permissions'],
    ['is German', 'Find den Kunden und lies das Konto', 'delete'],
    ['is French', 'Note pour le client', 'delete'],
    ['is in another script', 'Check the список', 'delete'],
    ['is too short to say which language it is', 'Check 42', 'delete'],
    ['is empty', '', 'delete'],
  ])('is nothing where it %s: %s', (_what, intent, ...effects) => {
    expect(said(intent, ...effects)).toEqual([]);
  });
});
