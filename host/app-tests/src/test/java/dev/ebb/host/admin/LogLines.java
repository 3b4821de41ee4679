package dev.ebb.host.admin;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/** What a logger logs while a test runs. */
public final class LogLines implements BeforeEachCallback, AfterEachCallback {

  private final Logger logger;
  private final ListAppender<ILoggingEvent> log = new ListAppender<>();

  /** Creates the extension for a logger: a class, or a package with all below it. */
  public LogLines(String logger) {
    this.logger = (Logger) LoggerFactory.getLogger(logger);
  }

  @Override
  public void beforeEach(ExtensionContext test) {
    log.start();
    logger.addAppender(log);
  }

  @Override
  public void afterEach(ExtensionContext test) {
    logger.detachAppender(log);
  }

  public List<ILoggingEvent> events() {
    return List.copyOf(log.list);
  }

  public List<String> at(Level level) {
    return events().stream()
        .filter(event -> event.getLevel() == level)
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }
}
