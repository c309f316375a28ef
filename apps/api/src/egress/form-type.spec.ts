import * as fc from 'fast-check';
import { formBoundary } from './form-type.js';

const FORM = 'multipart/form-data';
const outcome = (type: string): string | number | null => {
  try {
    return formBoundary(type);
  } catch (error) {
    expect(error).toMatchObject({ message: expect.stringMatching(/^Content-Type: /) });
    return (error as { statusCode: number }).statusCode;
  }
};

describe('formBoundary', () => {
  it.each([
    `${FORM}; boundary=X`,
    `${FORM}; boundary="X"`,
    ' Multipart/Form-Data;BOUNDARY=X; ',
    `${FORM}; boundary=X; charset=UTF-8`,
    `${FORM}; charset="us-ascii"; boundary=X; v="a,b;c"`,
  ])('finds the boundary in %s', (type) => expect(outcome(type)).toBe('X'));

  it.each([
    '----WebKitFormBoundaryAaB03x',
    '----geckoformboundary1f2e',
    'Boundary+0F1E',
    '===============123==',
    'uuid:0-1.2/3',
  ])('accepts the boundary %s of a client', (boundary) =>
    expect(outcome(`${FORM}; boundary="${boundary}"`)).toBe(boundary),
  );

  it.each(['', 'text/plain', 'multipart/mixed; boundary=X; xboundary=Y', 'application/json'])(
    'does not take %s for a form',
    (type) => expect(outcome(type)).toBeNull(),
  );

  it.each([
    ['no boundary', ''],
    ['an empty boundary', '; boundary=""'],
    ['a boundary without a value', '; boundary'],
    ['a value without a name', '; =X'],
    ['a backslash in it', '; boundary="X\\Y"'],
    ['two boundaries', '; boundary=Y; boundary=X'],
    ['a second type', '; boundary=X, multipart/form-data; boundary=Y'],
    ['a comma after the type, as PHP accepts it', ', boundary=X'],
    ['a blank after the type', ' boundary=X'],
    ['more letters after the type', 'a; boundary=X'],
    ['a parameter that ends like a boundary', '; xboundary=A; boundary=X'],
    ['a later parameter that ends like a boundary', '; boundary=X; xboundary=A'],
    ['a parameter that begins like a boundary', '; boundary=X; boundary*0=A'],
    ['a boundary inside another value', '; x="boundary=A"; boundary=X'],
    ['a boundary inside a charset', '; charset="; boundary=Y"; BOUNDARY="X"'],
    ['a boundary inside the boundary', '; boundary=Aboundary=X'],
    ['small letters inside a boundary whose name is not in small letters', '; Boundary=xboundary; v=X'],
    ['a comma in the boundary, where Rack ends it', '; boundary="X,Y"'],
    ['an encoded word in it, which Tomcat decodes', '; boundary="=?UTF-8?Q?X?="'],
    ['a blank before the equals sign, so Rack finds none', '; boundary =X'],
    ['a blank after the boundary, which PHP adds to it', '; boundary=X ; v=1'],
    ['a charset in which Django decodes fields', '; boundary=X; charset=utf-7'],
    ['a charset at the end of a name', '; boundary=X; xcharset=IBM037'],
    ['a charset inside a value', '; boundary=X; v="charset=IBM037"'],
    ['an extended charset', "; boundary=X; charset*=utf-8''utf-7"],
  ])('refuses a form with %s', (_what, rest) => expect(outcome(FORM + rest)).toBe(400));

  it.each(['text/plain, multipart/form-data; boundary=X', 'a/b; c=multipart/form-data; boundary=X', `"${FORM}"`])(
    'refuses %s: some servers look for the type anywhere',
    (type) => expect(outcome(type)).toBe(400),
  );

  /** Up to the first `,` or `;` after the first `=` after the first `boundary`, in small letters if there is one. */
  const byPhp = (type: string): string | undefined => {
    const lower = type.toLowerCase();
    const at = type.includes('boundary') ? type.indexOf('boundary') : lower.indexOf('boundary');
    return /^[^=]*=(?:"([^"]*)"|([^,;]*))/
      .exec(type.slice(at))
      ?.slice(1)
      .find((each) => each !== undefined);
  };
  const byRack = (type: string): string | undefined => /^multipart\/.*boundary="?([^";,]+)"?/i.exec(type)?.[1];
  /** Formidable and others. */
  const byFirst = (type: string): string | undefined => /boundary=(?:"([^"]+)"|([^;]+))/i.exec(type)?.slice(1).join('');

  it('accepts only types in which PHP, Rack and others find the same boundary', () => {
    const piece = fc.constantFrom(
      ...[
        'boundary',
        'Boundary',
        'boundary=X',
        'boundary="Y"',
        '=',
        '"',
        ';',
        '; ',
        ',',
        ' ',
        'x',
        'charset=utf-8',
        '*0',
      ],
    );
    let accepted = 0;
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const type = `${FORM}; ${pieces.join('')}`.trim();
        const found = outcome(type);
        if (found === 400) return;
        accepted += 1;
        expect([byPhp(type), byRack(type), byFirst(type)]).toEqual([found, found, found]);
      }),
      { numRuns: 10_000 },
    );
    expect(accepted).toBeGreaterThan(100);
  });
});
