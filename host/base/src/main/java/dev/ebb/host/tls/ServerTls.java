package dev.ebb.host.tls;

import static java.util.Objects.requireNonNull;

import dev.ebb.host.errors.UserError;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * TLS of a server, which may also be a client of others like it. New connections use changed files
 * without a restart. Files that cannot be used are logged, and the previous ones stay in use.
 */
public final class ServerTls implements AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(ServerTls.class);
  private static final Duration CHECK = Duration.ofSeconds(5);

  private final TlsFiles files;
  private final String section;
  private final SSLContext context;
  private final ScheduledExecutorService watch =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon(true).name("ebb-tls").factory());
  private List<String> stamps;
  private volatile TlsFiles.Loaded loaded;

  private ServerTls(TlsFiles files, String section, Duration check) {
    this.files = files;
    this.section = section;
    stamps = stamps();
    loaded = load();
    context =
        TlsFiles.context(new CurrentKey(), files.authorities() == null ? null : new CurrentTrust());
    var _ =
        watch.scheduleWithFixedDelay(
            this::reload, check.toMillis(), check.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Reads the files; the section is for messages. With authorities, clients need a certificate. */
  public static ServerTls open(TlsFiles files, String section) {
    return open(files, section, CHECK);
  }

  static ServerTls open(TlsFiles files, String section, Duration check) {
    requireNonNull(files.certificate(), "a server needs a certificate");
    return new ServerTls(files, section, check);
  }

  /** Returns the context, which always uses the latest files. */
  public SSLContext context() {
    return context;
  }

  public boolean needsClientCertificate() {
    return files.authorities() != null;
  }

  public SSLEngine engine() {
    SSLEngine engine = context.createSSLEngine();
    engine.setUseClientMode(false);
    engine.setNeedClientAuth(needsClientCertificate());
    return engine;
  }

  @Override
  public void close() {
    watch.shutdownNow();
  }

  private TlsFiles.Loaded load() {
    try {
      TlsFiles.Loaded fresh = files.load();
      Instant end = fresh.chain().getFirst().getNotAfter().toInstant();
      if (end.isBefore(Instant.now())) {
        LOG.warn("{}: the certificate '{}' expired at {}", section, files.certificate(), end);
      }
      return fresh;
    } catch (UserError wrong) {
      throw wrong.at(section);
    }
  }

  private void reload() {
    try {
      List<String> now = stamps();
      if (now.equals(stamps)) {
        return;
      }
      stamps = now;
      loaded = load();
      LOG.info("{}: certificate reloaded file={}", section, files.certificate());
    } catch (UserError wrong) {
      LOG.error("certificate not reloaded reason=\"{}\"", wrong.getMessage());
    } catch (RuntimeException failed) {
      LOG.error("{}: certificate not reloaded", section, failed);
    }
  }

  private List<String> stamps() {
    List<String> read = new ArrayList<>();
    for (Path file : files.all()) {
      try {
        BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
        read.add(
            "%s %s %d"
                .formatted(attributes.fileKey(), attributes.lastModifiedTime(), attributes.size()));
      } catch (IOException gone) {
        read.add("");
      }
    }
    return read;
  }

  /** Passes on to the key that was loaded last. */
  private final class CurrentKey extends X509ExtendedKeyManager {

    private X509ExtendedKeyManager key() {
      return requireNonNull(loaded.key());
    }

    @Override
    public String @Nullable [] getServerAliases(String type, Principal @Nullable [] issuers) {
      return key().getServerAliases(type, issuers);
    }

    @Override
    public @Nullable String chooseServerAlias(
        String type, Principal @Nullable [] issuers, @Nullable Socket socket) {
      return key().chooseServerAlias(type, issuers, socket);
    }

    @Override
    public @Nullable String chooseEngineServerAlias(
        String type, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
      return key().chooseEngineServerAlias(type, issuers, engine);
    }

    @Override
    public X509Certificate @Nullable [] getCertificateChain(String alias) {
      return key().getCertificateChain(alias);
    }

    @Override
    public @Nullable PrivateKey getPrivateKey(String alias) {
      return key().getPrivateKey(alias);
    }

    @Override
    public String @Nullable [] getClientAliases(String type, Principal @Nullable [] issuers) {
      return key().getClientAliases(type, issuers);
    }

    @Override
    public @Nullable String chooseClientAlias(
        String[] types, Principal @Nullable [] issuers, @Nullable Socket socket) {
      return key().chooseClientAlias(types, issuers, socket);
    }

    @Override
    public @Nullable String chooseEngineClientAlias(
        String[] types, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
      return key().chooseEngineClientAlias(types, issuers, engine);
    }
  }

  /** Passes on to the authorities that were loaded last. */
  private final class CurrentTrust extends X509ExtendedTrustManager {

    private X509ExtendedTrustManager trust() {
      return requireNonNull(loaded.trust());
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
        throws CertificateException {
      trust().checkClientTrusted(chain, type, socket);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      trust().checkClientTrusted(chain, type, engine);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      trust().checkClientTrusted(chain, type);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
        throws CertificateException {
      trust().checkServerTrusted(chain, type, socket);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
        throws CertificateException {
      trust().checkServerTrusted(chain, type, engine);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      trust().checkServerTrusted(chain, type);
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return trust().getAcceptedIssuers();
    }
  }
}
