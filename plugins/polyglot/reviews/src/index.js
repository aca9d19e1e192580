/** Reviews: pages on which somebody tells what they think of one thing. */

import { defineValidator } from "magpie-vertical";

import { signs } from "./signs.js";

/** Log odds of a page without signs: one in twenty is a review. */
const PRIOR = -3;

/** Number of signs that the reason names. */
const NAMED = 3;

export default defineValidator({
  object: "Review",
  routing: { schemaTypes: ["Review", "CriticReview", "UserReview"], pathHints: ["/review", "/kritik", "/test"] },
  judge(page) {
    const found = signs(page);
    const sum = found.reduce((sum, { weight }) => sum + weight, PRIOR);
    const accepted = sum > 0;
    // Signs that speak for the judgement, the weightiest first.
    const reasons = found
      .filter(({ weight }) => weight > 0 === accepted)
      .sort((one, other) => Math.abs(other.weight) - Math.abs(one.weight))
      .slice(0, NAMED)
      .map(({ reason }) => reason);
    return {
      accepted,
      confidence: 1 / (1 + Math.exp(-Math.abs(sum))),
      reason: reasons.join(", ") || "no sign of a review",
    };
  },
});
