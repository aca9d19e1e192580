//! Certificates, and servers that show them.

use std::io::Write as _;
use std::net::TcpStream;
use std::path::Path;
use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    date_time_ymd,
};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use tempfile::NamedTempFile;

use crate::server::Stream;

/// An authority of our own, with its certificate in a file.
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    file: NamedTempFile,
}

impl Authority {
    /// Makes an authority with a new key.
    #[expect(clippy::new_without_default, reason = "each one has a key of its own")]
    pub fn new() -> Authority {
        let mut params = CertificateParams::new(Vec::new()).expect("parameters");
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().expect("a key");
        let issuer = CertifiedIssuer::self_signed(params, key).expect("a certificate");
        let mut file = NamedTempFile::new().expect("a file");
        file.write_all(issuer.pem().as_bytes()).expect("written");
        Authority { issuer, file }
    }

    /// File with the certificate of the authority.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Settings of a server with a certificate for a name.
    pub fn server(&self, name: &str, protocols: &[&str]) -> Arc<ServerConfig> {
        self.signed(&params(name), protocols)
    }

    /// Settings of a server whose certificate is unfit.
    pub fn unfit(&self, name: &str, flaw: Flaw) -> Arc<ServerConfig> {
        let mut params = params(name);
        match flaw {
            Flaw::Expired => params.not_after = date_time_ymd(2002, 1, 1),
            Flaw::NotValidYet => params.not_before = date_time_ymd(4000, 1, 1),
            Flaw::Authority => params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained),
            Flaw::ForClients => params
                .extended_key_usages
                .push(ExtendedKeyUsagePurpose::ClientAuth),
        }
        self.signed(&params, &[])
    }

    /// The certificate of the authority itself with its key, in PEM.
    pub fn own_pem(&self) -> (String, String) {
        (self.issuer.pem(), self.issuer.key().serialize_pem())
    }

    /// The certificate of a server with its key, in PEM.
    pub fn pem(&self, name: &str) -> (String, String) {
        let key = KeyPair::generate().expect("a key");
        let certificate = params(name).signed_by(&key, &self.issuer).expect("a certificate");
        (certificate.pem(), key.serialize_pem())
    }

    fn signed(&self, params: &CertificateParams, protocols: &[&str]) -> Arc<ServerConfig> {
        let key = KeyPair::generate().expect("a key");
        let certificate = params.signed_by(&key, &self.issuer).expect("a certificate");
        config(certificate.der().clone(), &key, protocols)
    }
}

/// Reason why a certificate of a trusted authority is refused.
#[derive(Clone, Copy)]
pub enum Flaw {
    Expired,
    NotValidYet,
    /// It is the certificate of an authority.
    Authority,
    ForClients,
}

/// Settings of a server that vouches for itself.
pub fn self_signed(name: &str) -> Arc<ServerConfig> {
    let key = KeyPair::generate().expect("a key");
    let certificate = params(name).self_signed(&key).expect("a certificate");
    config(certificate.der().clone(), &key, &[])
}

fn params(name: &str) -> CertificateParams {
    CertificateParams::new(vec![name.to_owned()]).expect("a name")
}

fn config(certificate: CertificateDer<'static>, key: &KeyPair, protocols: &[&str]) -> Arc<ServerConfig> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let key = PrivateKeyDer::try_from(key.serialize_der()).expect("a key");
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .expect("a certificate with its key");
    let protocols = protocols.iter().map(|protocol| protocol.as_bytes().to_vec());
    config.alpn_protocols = protocols.collect();
    Arc::new(config)
}

/// Makes TLS of each connection. One whose handshake fails is dropped.
pub fn accept(
    config: Arc<ServerConfig>,
) -> impl Fn(TcpStream) -> Option<Box<dyn Stream>> + Send + Sync + 'static {
    move |mut stream| {
        let mut connection = ServerConnection::new(Arc::clone(&config)).ok()?;
        while connection.is_handshaking() {
            connection.complete_io(&mut stream).ok()?;
        }
        Some(Box::new(StreamOwned::new(connection, stream)))
    }
}
