//! Certificates and servers that show them.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use rustls::ServerConfig;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tempfile::NamedTempFile;
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

/// An authority of our own, with its certificate in a file.
pub(crate) struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    file: NamedTempFile,
}

impl Authority {
    pub(crate) fn new() -> Authority {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let mut file = NamedTempFile::new().unwrap();
        file.write_all(issuer.pem().as_bytes()).unwrap();
        Authority { issuer, file }
    }

    pub(crate) fn path(&self) -> &Path {
        self.file.path()
    }

    /// Returns the acceptor of a server with a certificate for a name.
    pub(crate) fn server(&self, name: &str, protocols: &[&str]) -> TlsAcceptor {
        self.acceptor(&params(name), protocols)
    }

    pub(crate) fn expired(&self, name: &str) -> TlsAcceptor {
        let mut params = params(name);
        params.not_before = date_time_ymd(2001, 1, 1);
        params.not_after = date_time_ymd(2002, 1, 1);
        self.acceptor(&params, &[])
    }

    fn acceptor(&self, params: &CertificateParams, protocols: &[&str]) -> TlsAcceptor {
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        acceptor(certificate.der().clone(), &key, protocols)
    }
}

/// A server that vouches for itself.
pub(crate) fn self_signed(name: &str) -> TlsAcceptor {
    let key = KeyPair::generate().unwrap();
    let certificate = params(name).self_signed(&key).unwrap();
    acceptor(certificate.der().clone(), &key, &[])
}

fn params(name: &str) -> CertificateParams {
    CertificateParams::new(vec![name.to_owned()]).unwrap()
}

fn acceptor(certificate: CertificateDer<'static>, key: &KeyPair, protocols: &[&str]) -> TlsAcceptor {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    config.alpn_protocols = protocols
        .iter()
        .map(|protocol| protocol.as_bytes().to_vec())
        .collect();
    TlsAcceptor::from(Arc::new(config))
}

/// Makes TLS of each connection; one whose handshake fails is dropped.
pub(crate) fn accept(
    acceptor: TlsAcceptor,
) -> impl Fn(TcpStream) -> std::pin::Pin<Box<dyn Future<Output = Option<TlsStream<TcpStream>>> + Send>>
+ Send
+ Sync
+ 'static {
    move |stream| {
        let acceptor = acceptor.clone();
        Box::pin(async move { acceptor.accept(stream).await.ok() })
    }
}
