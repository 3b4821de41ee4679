package dev.ebb.host.client;

import java.security.KeyManagementException;
import java.security.Provider;
import java.security.SecureRandom;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLContextSpi;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * The TLS context of a client that uses plain HTTP. The JDK's client creates its default context
 * even then, and so loads all certificates of the system, which takes longer than the request.
 */
final class NoTls extends SSLContext {

  NoTls() {
    super(new Spi(), new Provider("none", "1", "no TLS") {}, "none");
  }

  private static final class Spi extends SSLContextSpi {

    @Override
    protected SSLParameters engineGetDefaultSSLParameters() {
      return new SSLParameters();
    }

    @Override
    protected SSLParameters engineGetSupportedSSLParameters() {
      return new SSLParameters();
    }

    @Override
    protected void engineInit(
        KeyManager @Nullable [] keys,
        TrustManager @Nullable [] trusted,
        @Nullable SecureRandom random)
        throws KeyManagementException {
      throw new KeyManagementException("no TLS");
    }

    @Override
    protected SSLSocketFactory engineGetSocketFactory() {
      throw new IllegalStateException("no TLS");
    }

    @Override
    protected SSLServerSocketFactory engineGetServerSocketFactory() {
      throw new IllegalStateException("no TLS");
    }

    @Override
    protected SSLEngine engineCreateSSLEngine() {
      throw new IllegalStateException("no TLS");
    }

    @Override
    protected SSLEngine engineCreateSSLEngine(String host, int port) {
      throw new IllegalStateException("no TLS");
    }

    @Override
    protected SSLSessionContext engineGetServerSessionContext() {
      throw new IllegalStateException("no TLS");
    }

    @Override
    protected SSLSessionContext engineGetClientSessionContext() {
      throw new IllegalStateException("no TLS");
    }
  }
}
