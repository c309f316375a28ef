import { bearer, scheme } from '../options.js';
import type { CatalogueEntry } from '../schema.js';

/** Databases, maps, weather, language models. */
export const data: CatalogueEntry[] = [
  {
    id: 'supabase',
    name: 'Supabase',
    keywords: ['database', 'postgres', 'tables', 'rows'],
    baseUrl: 'https://<project>.supabase.co/rest/v1',
    placeholders: [{ name: 'project', label: 'Project reference', example: 'abcdefghijklmnopqrst' }],
    docsUrl: 'https://supabase.com/docs/guides/api',
    auth: [
      {
        title: 'Service role key',
        authType: 'custom',
        auth: { headers: { apikey: '{{key}}', Authorization: 'Bearer {{key}}' } },
        credentials: [{ name: 'key', label: 'Service role key' }],
        createAt: 'https://supabase.com/dashboard/project/<project>/settings/api-keys',
      },
    ],
    testPath: '/',
    presets: ['reads-pass', 'ask-before-delete'],
  },
  {
    id: 'elasticsearch',
    name: 'Elasticsearch',
    keywords: ['search', 'database', 'logs', 'elastic'],
    baseUrl: 'https://<host>',
    placeholders: [{ name: 'host', label: 'Host and port', example: 'es.example.com:9243' }],
    docsUrl: 'https://www.elastic.co/docs/api/doc/elasticsearch/',
    auth: [scheme('ApiKey ', 'API key', 'https://<host>/', 'The encoded key')],
    testPath: '/',
    presets: ['reads-pass', 'ask-before-delete'],
  },
  {
    id: 'openweather',
    name: 'OpenWeather',
    keywords: ['weather', 'forecast'],
    baseUrl: 'https://api.openweathermap.org/data/2.5',
    docsUrl: 'https://openweathermap.org/api',
    auth: [
      {
        title: 'API key',
        authType: 'custom',
        auth: { query: { appid: '{{key}}' } },
        credentials: [{ name: 'key', label: 'API key' }],
        createAt: 'https://home.openweathermap.org/api_keys',
      },
    ],
    testPath: '/weather?q=Berlin',
    presets: ['reads-pass'],
  },
  {
    id: 'google-maps',
    name: 'Google Maps',
    keywords: ['google', 'geocoding', 'routes', 'places', 'addresses'],
    baseUrl: 'https://maps.googleapis.com/maps/api',
    docsUrl: 'https://developers.google.com/maps/documentation/geocoding',
    auth: [
      {
        title: 'API key',
        authType: 'custom',
        auth: { query: { key: '{{key}}' } },
        credentials: [{ name: 'key', label: 'API key', hint: 'AIza…' }],
        createAt: 'https://console.cloud.google.com/google/maps-apis/credentials',
      },
    ],
    testPath: '/geocode/json?address=Berlin',
    presets: ['reads-pass'],
  },
  {
    id: 'openai',
    name: 'OpenAI',
    keywords: ['language model', 'gpt', 'chat', 'embeddings'],
    baseUrl: 'https://api.openai.com/v1',
    docsUrl: 'https://platform.openai.com/docs/api-reference',
    auth: [bearer('API key', 'https://platform.openai.com/api-keys', 'sk-…')],
    testPath: '/models',
    presets: ['reads-pass', 'ask-before-delete'],
  },
  {
    id: 'anthropic',
    name: 'Anthropic',
    keywords: ['language model', 'claude', 'chat'],
    baseUrl: 'https://api.anthropic.com/v1',
    docsUrl: 'https://docs.claude.com/en/api/overview',
    auth: [
      {
        title: 'API key',
        authType: 'custom',
        auth: { headers: { 'x-api-key': '{{key}}', 'anthropic-version': '2023-06-01' } },
        credentials: [{ name: 'key', label: 'API key', hint: 'sk-ant-…' }],
        createAt: 'https://console.anthropic.com/settings/keys',
      },
    ],
    testPath: '/models',
    presets: ['reads-pass', 'ask-before-delete'],
  },
];
