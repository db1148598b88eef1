import type { InjectionClassifier } from "../../../../sdk/safety/injection/classifier/classifier.ts";
import { createInjectionDetector } from "../../../../sdk/safety/injection/detect.ts";
import { SafetyPipeline, type SafetyPipelineOptions } from "../../../../sdk/safety/pipeline/pipeline.ts";

/** A classifier whose opinion is in the text: "p=0.7" scores 0.7, anything else 0.1. */
export const wordedClassifier: InjectionClassifier = {
  name: "worded",
  score: async (text) => Number(/p=([\d.]+)/.exec(text)?.[1] ?? 0.1),
};

const open: SafetyPipeline[] = [];

/** Closes all that {@link pipelineOver} has made. */
export async function closePipelines(): Promise<void> {
  await Promise.all(open.splice(0).map((pipeline) => pipeline.close()));
}

/** A pipeline with the real detector over a classifier. */
export function pipelineOver(
  classifier: InjectionClassifier = wordedClassifier,
  options: Omit<SafetyPipelineOptions, "injection"> = {},
): SafetyPipeline {
  const pipeline = new SafetyPipeline({ injection: createInjectionDetector({ classifier }), ...options });
  open.push(pipeline);

  return pipeline;
}

export const ADDRESS = "0x52908400098527886E0F7030069857D2E4169EE7";
export const PHRASE = "legal winner thank year wave sausage worth useful legal winner thank yellow";
