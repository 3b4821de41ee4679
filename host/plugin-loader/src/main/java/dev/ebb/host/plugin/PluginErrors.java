package dev.ebb.host.plugin;

import dev.ebb.host.errors.UntrustedText;
import java.util.ServiceConfigurationError;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

/** Explains a plugin's exception to its author. */
final class PluginErrors {

  /** The location of a service's file in the staged copy, which its author never sees. */
  private static final Pattern PLACE = Pattern.compile("^jar:\\S+!/META-INF/services/[^:]+:");

  private static final char BYTE_ORDER_MARK = '\uFEFF';

  private PluginErrors() {}

  /** Describes an exception; its class alone if its methods fail. */
  static String of(Throwable thrown) {
    try {
      return said(thrown);
    } catch (Throwable hostile) {
      return UntrustedText.line(thrown.getClass().getName());
    }
  }

  private static String said(Throwable thrown) {
    return switch (thrown) {
      case ServiceConfigurationError error -> ofService(error);
      case ExceptionInInitializerError error when error.getException() != null ->
          of(error.getException());
      case ClassFormatError error ->
          "a class file is damaged ("
              + UntrustedText.of(error)
              + "); build the JAR again, or copy it again";
      case TimeoutException late -> UntrustedText.message(late);
      case NoClassDefFoundError error -> missing(UntrustedText.message(error));
      case ClassNotFoundException error -> missing(UntrustedText.message(error));
      case LinkageError error ->
          "it was built against other versions of the classes it uses ("
              + UntrustedText.of(error)
              + "); compile it again, and pack its libraries into the JAR";
      default -> UntrustedText.of(thrown);
    };
  }

  /** Returns the first line of a plugin's classes in a stack trace, if it has one. */
  static String where(Throwable thrown) {
    return UntrustedText.causes(thrown).stream()
        .flatMap(each -> PluginCall.line(UntrustedText.frames(each)).stream())
        .findFirst()
        .map(line -> ", at " + line)
        .orElse("");
  }

  private static String ofService(ServiceConfigurationError error) {
    // The message starts with the service's name, which the reader knows from the file's.
    String said = UntrustedText.message(error).replaceFirst("^dev\\.ebb\\.spi\\.\\w+: ", "");
    String type = UntrustedText.line(said.replaceFirst("^Provider ", "").split(" ", 2)[0]);
    if (error.getCause() != null) {
      return of(error.getCause());
    }
    if (said.endsWith(" not found")) {
      return type + " is listed there, but is not in the JAR";
    }
    if (said.endsWith(" not a subtype")) {
      String service = UntrustedText.line(UntrustedText.message(error).split(":", 2)[0]);
      return "%s is listed there, but does not implement %s; list the class that does"
          .formatted(type, service);
    }
    if (said.indexOf(BYTE_ORDER_MARK) >= 0) {
      return "the file begins with a byte order mark (U+FEFF), which is not part of a class name;"
          + " save it as UTF-8 without one";
    }
    return UntrustedText.line(PLACE.matcher(said).replaceFirst("line "));
  }

  private static String missing(String name) {
    return "the class '"
        + UntrustedText.line(name.replace('/', '.'))
        + "' is missing: a plugin sees the JDK, dev.ebb.spi and its own JAR, so pack it there";
  }
}
