// The signs on buttons that step through a game: paths in a picture of 20 by 20.
export const STEPS = {
  first: { label: "To the start", key: "Home", path: "M3 4h2.4v12H3zM16.5 4v12L6.5 10z" },
  back: { label: "One move back", key: "left arrow", path: "M14.5 4v12L4.5 10z" },
  on: { label: "One move forward", key: "right arrow", path: "M5.5 4v12l10-6z" },
  last: { label: "To the end", key: "End", path: "M14.6 4H17v12h-2.4zM3.5 4v12l10-6z" },
};
