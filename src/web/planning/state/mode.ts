/** The modes of the page, with the parameters that select each: hybrid is catalogue and configurator together. @see Spec 4.5 */
export const MODES = {
  catalogue: { opencatalogue: 'true' },
  configurator: { disablecatalogue: 'true' },
  hybrid: {},
} as const;

export type PlanningMode = keyof typeof MODES;
