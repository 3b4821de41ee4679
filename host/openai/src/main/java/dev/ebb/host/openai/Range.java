package dev.ebb.host.openai;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The bounds of a number, which {@link OpenAiJson#request} checks. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.RECORD_COMPONENT)
@interface Range {

  double least() default 0;

  double most() default Integer.MAX_VALUE;
}
